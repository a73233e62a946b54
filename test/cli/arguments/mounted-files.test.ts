/** A file that is mounted by itself is written in place: where that fails, what was to be written is nowhere else. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownersMark } from '../../../cli/target/env-file.js'
import { endsByItself } from '../../fixtures/patience.js'
import { bin, cleanEnv, openWorld, type World } from '../command-line.js'

/** Runs a shell with its own mounts, as in a container. Not every machine allows users to do this. */
const mounting = ['-rm', 'sh', '-c']
const mayMount = spawnSync('unshare', [...mounting, 'mount --bind /dev/null /dev/null']).status === 0

const text = 'x'.repeat(100_000)
let world: World

beforeAll(async () => {
  world = await openWorld()
  await world.useEmulator()
  await world.svc(['collections', 'create', 'posts'])
  writeFileSync(join(world.folder, 'post.json'), JSON.stringify({ text }))
  await world.svc(['docs', 'create', 'posts', '--file', 'post.json'])
  mkdirSync(join(world.folder, 'small'))
})
afterAll(() => world.close())

/** Runs a command with a small disk whose only file is mounted at that name. */
function withMounted(name: string, words: string) {
  writeFileSync(join(world.folder, name), '')
  const mount = `mount -t tmpfs -o size=16k tmpfs small && touch small/file && mount --bind small/file '${name}'`
  return execa('unshare', [...mounting, `${mount} && exec '${process.execPath}' '${bin}' ${words} --out '${name}'`], {
    ...{ cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false },
    ...endsByItself,
  })
}

test.skipIf(!mayMount).each([
  ['docs export posts', 'full.ndjson'],
  ['requests export', 'full.har'],
  ['seed export', 'full.json'],
])(
  'svc %s --out to a mounted file without room for it keeps what was to be written, and names it',
  async (words, name) => {
    const { exitCode, stderr } = await withMounted(name, words)

    expect(exitCode, stderr).toBe(1)
    const [, kept = ''] = /The full content is in (.+)/.exec(stderr) ?? []
    const content = readFileSync(join(world.folder, kept.replace(/^.*\//, '')), 'utf8')
    // Whole, and more than the file has room for.
    expect(JSON.stringify(JSON.parse(content)).length).toBeGreaterThan(16 * 1024)
  },
)

test.skipIf(!mayMount)('a mounted .env.local is read by nobody else from then on', async () => {
  const source = join(world.folder, 'held.env')
  writeFileSync(join(world.folder, '.env.local'), '')
  writeFileSync(source, `${ownersMark}\nSVC_URL=\n`, { mode: 0o644 })

  const script = `mount --bind held.env .env.local && exec '${process.execPath}' '${bin}' doctor --repair`
  await execa('unshare', [...mounting, script], {
    ...{ cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false },
    ...endsByItself,
  })

  expect(readFileSync(source, 'utf8')).toMatch(/SVC_URL=\w/)
  expect(statSync(source).mode & 0o777).toBe(0o600)
})

/** So many that their types have more than 16 KB. */
const fields = Array.from({ length: 900 }, (_, at) => `a-field-with-a-long-name-${at}`)
const manyFields = () => {
  const document = JSON.stringify(Object.fromEntries(fields.map((name) => [name, 1])))
  writeFileSync(join(world.folder, 'wide.json'), document)
  return world.svc(['docs', 'import', 'wide', 'wide.json', '--create'])
}
const drafts = () => readdirSync(world.folder).filter((name) => /^\.svc-/.test(name))

test.skipIf(!mayMount)('svc types generate to a mounted file without room for it names where they are', async () => {
  await manyFields()

  const { exitCode, stderr } = await withMounted('types.ts', 'types generate --yes')

  expect(exitCode, stderr).toBe(1)
  expect(stderr).toContain('"types.ts" cannot be written: ')
  const [, kept = ''] = /The full content is in (.+)/.exec(stderr) ?? []
  expect(readFileSync(join(world.folder, kept.replace(/^.*\//, '')), 'utf8')).toContain(`'${fields.at(-1)}': number`)
})

test.skipIf(!mayMount)(
  'svc types generate --watch says that such a file was left in the middle, and leaves no drafts',
  async () => {
    await manyFields()
    const before = drafts()
    const child = withMounted('followed.ts', 'types generate --yes --watch --json')
    const failed = new Promise<string>((resolve) => {
      let lines = ''
      child.stdout.on('data', (piece) => {
        lines += piece
        const line = lines.split('\n').find((one) => one.includes('"failed"'))
        if (line !== undefined) resolve(line)
      })
      child.then(({ stderr }) => resolve(stderr))
    })

    const line = await failed
    const left = drafts()
    child.kill('SIGTERM')
    await child

    expect(JSON.parse(line)).toEqual({
      type: 'failed',
      message: expect.stringMatching(
        /^"followed\.ts" cannot be written: .+ was only partly written\. The next change rewrites it\.$/,
      ),
    })
    expect(left).toEqual(before)
  },
)
