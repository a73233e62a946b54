import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestEmulator } from 'svc-toolkit/testing'

// An emulator of its own, in memory, with what seed.json says.
const emulator = await startTestEmulator({ seed: 'seed.json' })
const [ada, grace] = [await emulator.users.create(), await emulator.users.create()]
const [asAda, asGrace] = [await emulator.users.actAs(ada), await emulator.users.actAs(grace)]
const board = await asAda.collection('boards').create({ title: 'Launch', members: [ada.id] })
const card = { board: board.id, title: 'Write a test', column: 'todo', position: 1, by: grace.id }

test('a board and its cards are hidden from users who are no members', async () => {
  await assert.rejects(asGrace.collection('cards').create(card))

  assert.deepEqual((await asGrace.collection('boards').list()).items, [])
})

test('a new member sees the board, and adds cards', async () => {
  await asAda.collection('boards').update(board.id, { $append: { members: grace.id } })

  await asGrace.collection('cards').create(card)

  assert.equal((await asAda.collection('cards').list({ where: { board: board.id } })).items.length, 1)
})
