import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readSeedFile } from './read-seed.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-read-seed-'))
afterAll(() => rmSync(folder, { recursive: true }))

function read(content: unknown) {
  const file = join(folder, 'data.json')
  writeFileSync(file, JSON.stringify(content, undefined, 2))
  return readSeedFile(file, undefined)
}

const bare: readonly (readonly [content: unknown, line: number])[] = [
  [{ posts: [{ title: 'Hello' }] }, 2],
  [{ tags: [], posts: [{ title: 'Hello' }] }, 3],
  [{ posts: { documents: [{ title: 'Hello' }] } }, 2],
  [{ users: { ada: { email: 'ada@example.com' } }, posts: [{ title: 'Hello' }] }, 7],
]

test.each(bare)(
  'collections that stand outside of "collections" are refused, with what to write: %j',
  async (content, line) => {
    await expect(read(content)).rejects.toMatchObject({
      code: 'BAD_SEED',
      message: expect.stringContaining(`data.json:${line}: "posts" looks like a collection`),
      hint: expect.stringContaining('{"collections": {"posts": {"documents": […]}}}'),
    })
  },
)

test.each([[[{ title: 'Hello', lines: [{ n: 1 }] }]], [{ title: 'Hello', lines: [{ n: 1 }] }], [{ tags: [] }]])(
  'documents are not taken for collections: %j',
  async (content) => {
    await expect(read(content)).resolves.toEqual({ text: undefined })
  },
)
