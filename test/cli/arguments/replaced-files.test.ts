/** A file that is replaced is for the same users as before: what is private stays so, and what others read stays readable. */
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownersMark } from '../../../cli/target/env-file.js'
import { endsByItself } from '../../fixtures/patience.js'
import { bin, cleanEnv, nodeOptions, openWorld, type SharedProject, type World } from '../command-line.js'
import { failure, openFakeService } from '../fake-service.js'

let world: World
let dev: SharedProject

beforeAll(async () => {
  world = await openWorld()
  dev = await world.useEmulator()
  await world.svc(['collections', 'create', 'posts', '--field', 'title:string'])
  writeFileSync(join(world.folder, 'note.txt'), 'milk')
  await world.svc(['files', 'upload', 'note.txt', '--to', 'stored'])
  mkdirSync(join(world.folder, 'stored'))
})
afterAll(() => world.close())

const isRoot = process.getuid?.() === 0

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
    if (isRoot) chownSync(file, 12_345, 12_345)
    const before = statSync(file)

    const ran = await world.svc(words.split(' '))

    const after = statSync(file)
    expect([ran.exit, after.mode, after.uid, after.gid], ran.stderr).toEqual([0, before.mode, before.uid, before.gid])
    expect(readFileSync(file, 'utf8')).not.toBe('')
  }
})

test('the .env.local of an app has the same owner as before its lines are filled, who alone may read the key', async () => {
  const file = join(world.folder, '.env.local')
  writeFileSync(file, `${ownersMark}\nSVC_URL=\nSVC_API_KEY=\n`)
  chmodSync(file, 0o644)
  if (isRoot) chownSync(file, 12_345, 12_345)
  const before = statSync(file)

  await world.svc(['doctor', '--repair'])

  const after = statSync(file)
  expect(readFileSync(file, 'utf8')).toContain(`SVC_URL=${dev.url}\n`)
  expect([after.mode & 0o777, after.uid, after.gid]).toEqual([0o600, before.uid, before.gid])
})

test.runIf(isRoot && process.platform === 'linux')(
  'a file that another user of its group replaces stays in the group; in another group it is as for all others',
  async () => {
    const [owner, user, group, otherGroup] = [12_345, 12_346, 12_347, 12_348]
    const folder = join(world.folder, 'team')
    mkdirSync(folder)
    // New files get the group of the folder at first.
    chownSync(folder, owner, otherGroup)
    chmodSync(folder, 0o2777)
    chmodSync(world.folder, 0o755)
    const found: unknown[] = []
    for (const gid of [group, otherGroup]) {
      const file = join(folder, `types-${gid}.ts`)
      writeFileSync(file, '')
      chownSync(file, owner, group)
      chmodSync(file, 0o664)

      await execa(process.execPath, [bin, 'types', 'generate', '--out', file], {
        env: { ...cleanEnv(folder), SVC_URL: dev.url, SVC_API_KEY: dev.apiKey },
        ...{ uid: user, gid, cwd: folder, extendEnv: false, ...endsByItself },
      })

      const after = statSync(file)
      found.push([after.uid, after.gid, after.mode & 0o777])
    }

    expect(found).toEqual([
      [user, group, 0o664],
      [user, otherGroup, 0o644],
    ])
  },
)

test.runIf(isRoot && process.platform === 'linux')(
  'the .env.local of another owner becomes that of the user who fills it, and is read by nobody else',
  async () => {
    const folder = join(world.folder, 'shared')
    mkdirSync(folder)
    chmodSync(world.folder, 0o755)
    chmodSync(folder, 0o777)
    const file = join(folder, '.env.local')
    writeFileSync(file, `${ownersMark}\nSVC_URL=\nSVC_API_KEY=\n`)
    chmodSync(file, 0o644)

    const child = execa(process.execPath, [...nodeOptions, bin, 'dev', '--memory', '--port', '0', '--json'], {
      ...{ env: cleanEnv(folder), uid: 12_346, gid: 12_346, cwd: folder, extendEnv: false, ...endsByItself },
    })
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    await child

    const { uid, mode } = statSync(file)
    expect(readFileSync(file, 'utf8')).toMatch(/SVC_API_KEY=\w/)
    expect([uid, mode & 0o777]).toEqual([12_346, 0o600])
  },
)

test('an export that goes on, or begins anew, in the place of a private file is read by nobody else', async () => {
  const out = join(world.folder, 'private.json')
  const part = `${out}.part`
  const modes: number[] = []
  let pages = 0
  const service = await openFakeService(({ path }) => {
    const limit = /limit=(\d+)/.exec(path)?.[1]
    if (limit === undefined) return { body: { id: 'x', name: 'posts', document_count: 9_999 } }
    const documents = Array.from({ length: Number(limit) }, (_, at) => ({ id: `d${at}`, data: { at } }))
    if (limit !== '1' && existsSync(out)) modes.push(statSync(part).mode & 0o777)
    if (limit !== '1' && ++pages > 1) return failure(403, 'FORBIDDEN', 'No.')
    return { body: { documents, total: 9_999, limit: documents.length, offset: 0 } }
  })
  const words = ['docs', 'export', 'posts', '--out', out, '--url', service.url, '--key', 'svc_key_x', '--dialect', 'a']

  await world.svc(words)
  const before = [statSync(part).mode & 0o777, existsSync(`${part}.state`)]
  writeFileSync(out, '', { mode: 0o600 })
  await world.svc(words)
  rmSync(`${part}.state`)
  chmodSync(part, 0o644)
  await world.svc(words)
  service.close()

  expect(before).toEqual([0o644, true])
  expect(modes).toEqual([0o600, 0o600])
})
