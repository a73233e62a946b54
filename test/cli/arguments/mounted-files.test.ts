/** A file that is mounted by itself is written in place: where that fails, what was to be written is nowhere else. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endsByItself } from '../../fixtures/patience.js'
import { bin, cleanEnv, openWorld, type World } from '../command-line.js'

/** What runs a shell with mounts of its own, as in a container. Not every machine lets a user have them. */
const mounting = ['-rm', 'sh', '-c']
const mayMount = spawnSync('unshare', [...mounting, 'mount --bind /dev/null /dev/null']).status === 0

const text = 'x'.repeat(100_000)
let world: World

beforeAll(async () => {
  world = await openWorld()
  await world.dev('--memory')
  await world.svc(['collections', 'create', 'posts'])
  writeFileSync(join(world.folder, 'post.json'), JSON.stringify({ text }))
  await world.svc(['docs', 'create', 'posts', '--file', 'post.json'])
  mkdirSync(join(world.folder, 'small'))
})
afterAll(() => world.close())

test.skipIf(!mayMount).each([
  ['docs export posts', 'full.ndjson'],
  ['requests export', 'full.har'],
  ['seed export', 'full.json'],
])(
  'svc %s --out to a mounted file without room for it keeps what was to be written, and names it',
  async (words, name) => {
    writeFileSync(join(world.folder, name), '')
    const mount = `mount -t tmpfs -o size=16k tmpfs small && touch small/file && mount --bind small/file '${name}'`
    const script = `${mount} && exec '${process.execPath}' '${bin}' ${words} --out '${name}'`

    const { exitCode, stderr } = await execa('unshare', [...mounting, script], {
      ...{ cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false },
      ...endsByItself,
    })

    expect(exitCode, stderr).toBe(1)
    const [, kept = ''] = /What was to be written is in (.+)/.exec(stderr) ?? []
    const content = readFileSync(join(world.folder, kept.replace(/^.*\//, '')), 'utf8')
    // Whole, and more than the file has room for.
    expect(JSON.stringify(JSON.parse(content)).length).toBeGreaterThan(16 * 1024)
  },
)
