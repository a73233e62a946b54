import { Worker } from 'node:worker_threads'
import { afterEach, expect, test, vi } from 'vitest'
import { connect } from './connection.js'

vi.mock('../postgres/session-settings.js', () => ({ sessionSettings: { no_such_setting: 'x' } }))
afterEach(() => void vi.restoreAllMocks())

test('ends a thread whose session cannot be configured', async () => {
  const threads = vi.spyOn(Worker.prototype, 'postMessage')

  await expect(connect({})).rejects.toMatchObject({ message: expect.stringContaining('no_such_setting') })

  const [thread] = threads.mock.contexts as Worker[]
  expect(thread?.threadId).toBe(-1)
})
