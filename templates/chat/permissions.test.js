import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestEmulator } from 'svc-toolkit/testing'

// An emulator of its own, in memory, with what seed.json says.
const emulator = await startTestEmulator({ seed: 'seed.json' })
const message = { key: 'test', name: 'Ada', text: 'Hello' }

test('who is logged in writes a message, and cannot change it afterwards', async () => {
  const ada = await emulator.users.actAs(await emulator.users.create())
  const messages = ada.collection('messages')

  const { id } = await messages.create(message)

  assert.equal((await messages.get(id)).data.text, 'Hello')
  await assert.rejects(messages.update(id, { text: 'Goodbye' }), { code: 'FORBIDDEN' })
})

test('who is not is refused', async () => {
  await assert.rejects(emulator.client.collection('messages').create(message), { code: 'UNAUTHORIZED' })
})
