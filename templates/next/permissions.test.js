import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestEmulator } from 'svc-toolkit/testing'
import { createServerClient } from 'svc-toolkit-client/server'

// An emulator of its own, in memory, with what seed.json says.
const emulator = await startTestEmulator({ seed: 'seed.json' })
const task = { title: 'Write a test', done: false, by: 'ada@example.com' }

test('a visitor stays signed in by the cookies of the login, and adds a task', async () => {
  const jar = new Map()
  const { url, apiKey } = emulator
  const openRequest = () => createServerClient({ url, apiKey, cookies: jar })
  await openRequest().auth.logIn({ email: 'ada@example.com', password: 'Correct4Horse' })

  await openRequest().collection('tasks').create(task)

  assert.equal((await openRequest().auth.session())?.user.email, 'ada@example.com')
})

test('who is not signed in is refused', async () => {
  await assert.rejects(emulator.client.collection('tasks').create(task), { code: 'UNAUTHORIZED' })
})
