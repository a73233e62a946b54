import { stat } from 'node:fs/promises'
import { beforeEach, expect, test, vi } from 'vitest'
import { makeStateFolder } from './folder-place.js'

vi.mock('node:fs/promises', async (original) => {
  const missing = () => Promise.reject(Object.assign(new Error('ENOENT'), { code: 'ENOENT' }))
  return { ...(await original<object>()), stat: vi.fn(missing), lstat: vi.fn(missing) }
})
beforeEach(() => {
  vi.mocked(stat).mockClear()
})

test('a drive that is not there is named, and looked for once', async () => {
  await expect(makeStateFolder('/some/folder')).rejects.toMatchObject({
    code: 'FOLDER_NOT_WRITABLE',
    message: '"/some/folder" cannot be made there: there is no "/".',
  })
  expect(stat).toHaveBeenCalledTimes(3)
})
