/** A file that is replaced is for the same users as before: what is private stays so, and what others read stays readable. */
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../command-line.js'

let world: World

beforeAll(async () => {
  world = await openWorld()
  await world.dev('--memory')
  await world.svc(['collections', 'create', 'posts', '--field', 'title:string'])
  writeFileSync(join(world.folder, 'note.txt'), 'milk')
  await world.svc(['files', 'upload', 'note.txt', '--to', 'stored'])
  mkdirSync(join(world.folder, 'stored'))
})
afterAll(() => world.close())

test.each([
  ['kept.json', 'seed generate posts --count 2 --out kept.json'],
  ['api.json', 'openapi --out api.json'],
  ['types.ts', 'types generate --out types.ts'],
  ['all.json', 'docs export posts --out all.json'],
  ['stored/note.txt', 'files download stored --replace'],
])('%s has the same owner and mode as before: svc %s', async (name, words) => {
  const file = join(world.folder, name)
  for (const mode of [0o600, 0o664]) {
    writeFileSync(file, '')
    chmodSync(file, mode)
    // Nobody else may give a file away.
    if (process.getuid?.() === 0) chownSync(file, 12_345, 12_345)
    const before = statSync(file)

    const ran = await world.svc(words.split(' '))

    const after = statSync(file)
    expect([ran.exit, after.mode, after.uid, after.gid], ran.stderr).toEqual([0, before.mode, before.uid, before.gid])
    expect(readFileSync(file, 'utf8')).not.toBe('')
  }
})
