import { expect, it } from 'vitest'
import type { Database } from '../../database/port.js'
import type { View } from '../../store/sql/views.js'
import { type Copy, loadView } from './copies.js'

it('reads nothing of what has more rows than a copy holds, and says what to use instead', async () => {
  const untouched = new Proxy({}, { get: (_, name) => expect.unreachable(`asked for ${String(name)}`) }) as Database
  const copy: Copy = { db: untouched, project: 'p', loaded: new Map() }
  const view = { name: 'posts', count: 200_001 } as View

  await expect(loadView({ db: untouched }, copy, view)).rejects.toMatchObject({
    code: 'RESULT_TOO_LARGE',
    message: expect.stringMatching(/"posts".* filter, or use psql/),
  })
  expect(copy.loaded.size).toBe(0)
})
