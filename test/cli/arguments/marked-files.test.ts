/** Files that begin with a byte order mark, as some editors and PowerShell write them. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../command-line.js'

let world: World

beforeAll(async () => {
  world = await openWorld()
  writeMarked('svc.json', '{"dialect":"a"}')
  await world.useEmulator()
  await world.svc(['collections', 'create', 'posts'])
  writeMarked('post.json', '{"title":"Marked"}')
  writeMarked('notes.json', '[{"title":"Marked"}]')
  writeMarked('seed.json', '{"collections":{"drafts":{"documents":[{"title":"Marked"}]}}}')
  writeMarked('schema.json', '{"title":{"type":"string"}}')
})
afterAll(() => world.close())

const path = (name: string) => join(world.folder, name)

function writeMarked(name: string, text: string) {
  writeFileSync(path(name), `\ufeff${text}\n`)
}

test('commands take a document from one', async () => {
  const { id } = (await world.json(['docs', 'create', 'posts', '-f', 'post.json'])) as { id: string }
  for (const words of [
    ['docs', 'update', 'posts', id, '-f', 'post.json'],
    ['docs', 'replace', 'posts', id, '-f', 'post.json'],
    ['api', 'PATCH', `/collections/posts/${id}`, '-f', 'post.json'],
    ['docs', 'import', 'posts', 'post.json'],
  ])
    expect(await world.svc(words), words.join(' ')).toMatchObject({ exit: 0 })

  expect(await world.json(['docs', 'get', 'posts', id])).toMatchObject({ data: { title: 'Marked' } })
})

test.each([
  ['seed', 'notes.json'],
  ['seed', 'seed.json'],
  ['collections', 'create', 'things', '--schema', 'schema.json'],
  ['collections', 'schema', 'posts', '--schema', 'schema.json'],
])('svc %s %s … reads one', async (...words) => {
  const ran = await world.svc(words)

  expect(ran.exit, ran.stderr).toBe(0)
})

test('an editor may save one', async () => {
  const { id } = (await world.json(['docs', 'create', 'posts', 'title=Hello'])) as { id: string }
  writeFileSync(path('editor.sh'), `#!/bin/sh\ncat post.json > "$1"\n`)
  chmodSync(path('editor.sh'), 0o755)

  const ran = await world.svc(['docs', 'edit', 'posts', id], { env: { EDITOR: path('editor.sh') } })

  expect(ran.exit, ran.stderr).toBe(0)
  expect(await world.json(['docs', 'get', 'posts', id])).toMatchObject({ data: { title: 'Marked' } })
})

test('the profiles may be in one', async () => {
  mkdirSync(path('config'), { recursive: true })
  writeMarked('config/profiles.json', '{"profiles":{"staging":{"url":"http://127.0.0.1:1","key":"svc_key_x"}}}')

  const profiles = await world.svc(['profiles', 'list'])

  expect(profiles).toMatchObject({ exit: 0, stdout: expect.stringContaining('staging') })
})
