import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestEmulator } from 'svc-toolkit/testing'

// An emulator of its own, in memory, with what seed.json says.
const emulator = await startTestEmulator({ seed: 'seed.json' })
const task = { title: 'Write a test', done: false, by: 'ada@example.com' }

test('who is logged in adds a task', async () => {
  const ada = await emulator.users.actAs(await emulator.users.create())

  const { id } = await ada.collection('tasks').create(task)

  assert.equal((await ada.collection('tasks').get(id)).data.title, 'Write a test')
})

test('who is not is refused', async () => {
  await assert.rejects(emulator.client.collection('tasks').create(task), { code: 'UNAUTHORIZED' })
})
