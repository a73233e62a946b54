/** Outputs that a shell has opened, by the names that they have: what is in them stays, and what comes next follows. */
import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../../client/index.js'
import { endsByItself } from '../../fixtures/patience.js'
import { bin, cleanEnv, hungMilliseconds, openWorld, type World } from '../command-line.js'

let world: World

beforeAll(async () => {
  world = await openWorld()
  const { url, apiKey } = await world.useEmulator()
  for (const name of ['a', 'b']) {
    await world.svc(['collections', 'create', name, '--field', 'title:string'])
    await world.svc(['docs', 'create', name, `title=of ${name}`])
  }
  // More than fits into a pipe.
  const many = Array.from({ length: 1_000 }, (_, n) => ({ n, text: 'x'.repeat(300) }))
  const client = createClient({ url, apiKey })
  await client.collections.create({ name: 'many' })
  await client.collection('many').createMany(many)
  await world.svc(['snapshot', 'save', 'kept'])
  symlinkSync('/dev/stdout', path('to-stdout'))
  symlinkSync('/proc/self/fd/1', path('to-descriptor'))
  writeFileSync(path('bad.ndjson'), '{"title":5}\n')
})
afterAll(() => world.close())

const path = (name: string) => join(world.folder, name)
const read = (name: string) => readFileSync(path(name), 'utf8')

/** Runs a line of a shell, in which `svc` is the command. */
async function shell(line: string) {
  const script = `svc() { '${process.execPath}' '${bin}' "$@"; }\n${line}`
  const options = { cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false }
  return execa('sh', ['-c', script], { ...options, timeout: hungMilliseconds, ...endsByItself })
}

const places = ['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1', 'to-stdout', 'to-descriptor'].filter(
  (place) => process.platform === 'linux' || !place.includes('proc'),
)

test.each(places)('what is exported to %s goes behind what a redirection appends to', async (place) => {
  writeFileSync(path('all'), 'before\n', { mode: 0o644 })
  const inode = statSync(path('all')).ino

  const ran = await shell(`svc docs export a --format ndjson -o ${place} >> all && echo after >> all`)

  expect(ran).toMatchObject({ exitCode: 0 })
  expect(read('all')).toMatch(/^before\n\{.*"of a".*\}\nafter\n$/)
  expect(statSync(path('all')).ino).toBe(inode)
  expect(lstatSync('/dev/stdout').isSymbolicLink()).toBe(true)
})

test.each([
  ['requests export --out', '"log"'],
  ['types generate --out', 'Schema'],
  ['seed export --out', 'collections'],
  ['snapshot export kept --replace', 'SHA256SUMS'],
  ['openapi --out', '"openapi"'],
  ['docs import a bad.ndjson --refused', '"row":{"title":5}'],
])('svc %s writes to the output of a redirection, and leaves its mode', async (words, content) => {
  writeFileSync(path('all'), 'before\n', { mode: 0o644 })

  await shell(`svc ${words} /dev/stdout >> all`)

  expect(read('all')).toMatch(/^before\n/)
  expect(read('all')).toContain(content)
  expect(statSync(path('all')).mode & 0o777).toBe(0o644)
})

test.each([
  ['requests export --out', '"log"'],
  ['types generate --out', 'Schema'],
  ['seed export --out', 'collections'],
  ['snapshot export kept', 'SHA256SUMS'],
])('svc %s writes to /dev/stdout where that is a pipe or a file, unasked and alone', async (words, content) => {
  for (const output of ['/dev/stdout | cat > out', '- > out']) {
    const ran = await shell(`svc ${words} ${output}`)

    expect(ran, output).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('error') })
    expect(read('out'), output).toContain(content)
    expect(read('out'), output).not.toContain('/dev/stdout')
  }
})

test('what is made up for a seed goes to the output of a redirection, and no draft of it is left', async () => {
  symlinkSync('/dev/stdout', path('seed.ndjson'))
  writeFileSync(path('all'), 'before\n')
  symlinkSync(path('later.ndjson'), path('link.ndjson'))

  const ran = await shell('svc seed generate a --count 2 -o seed.ndjson >> all && svc seed generate a -o link.ndjson')
  const nowhere = await shell('svc seed generate a -o nowhere/a.ndjson; svc openapi -o nowhere/a.json')

  expect(ran).toMatchObject({ exitCode: 0 })
  expect(read('all')).toMatch(/^before\n\{.*\}\n\{.*\}\n$/)
  expect(read('later.ndjson').split('\n')).toHaveLength(11)
  expect(lstatSync(path('link.ndjson')).isSymbolicLink()).toBe(true)
  expect(readdirSync(world.folder).filter((name) => name.includes('later'))).toEqual(['later.ndjson'])
  expect(nowhere.exitCode).toBe(4)
  expect(nowhere.stderr.match(/no folder/gi)).toHaveLength(2)
})

test('two commands, what a shell writes around them, and their own results share one redirection', async () => {
  const exporting = (name: string) => `svc docs export ${name} --format ndjson -o /dev/stdout`

  const ran = await shell(`{ echo header; ${exporting('a')} --json; ${exporting('b')}; echo end; } > f`)

  expect(ran).toMatchObject({ exitCode: 0 })
  expect(read('f')).toMatch(/^header\n\{.*"of a".*\}\n\{\n {2}"exported": 1,[^}]*\}\n\{.*"of b".*\}\nend\n$/)
})

test('another descriptor of the shell is written to as well, also where its file has gone', async () => {
  const ran = await shell(
    'exec 3>> third; echo first >&3; svc docs export a --format ndjson -o /dev/fd/3; echo last >&3',
  )
  const gone = await shell('exec 4> fourth; rm fourth; svc docs export a --format ndjson -o /dev/fd/4')

  expect([ran.exitCode, gone.exitCode]).toEqual([0, 0])
  expect(read('third')).toMatch(/^first\n\{.*"of a".*\}\nlast\n$/)
})

test.each([
  ['docs export a', '"of a"'],
  ['docs export a --format csv', 'of a'],
  ['requests export', '"log"'],
  ['types generate', 'Schema'],
  ['seed export a', 'of a'],
  ['openapi', '"openapi"'],
  ['seed generate a', '"title"'],
])('svc %s -o - writes to stdout, and makes no file of that name', async (words, content) => {
  const ran = await shell(`svc ${words} -o -`)

  expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(content) })
  expect(readdirSync(world.folder)).not.toContain('-')
})

test.each(['docs export a', 'seed export a', 'seed generate a'])(
  'svc %s -o - and --json --json cannot be combined with output to stdout',
  async (words) => {
    expect(await shell(`svc ${words} -o - --json`)).toMatchObject({
      exitCode: 2,
      stdout: expect.stringContaining('--json cannot be combined with output to stdout'),
    })
  },
)

test.each([
  ['docs export many --format ndjson', '-', '| head -c 1'],
  ['docs export many --format ndjson', '/dev/stdout', '| head -c 1'],
  ['seed export many', '/dev/stdout', '| head -c 1'],
  ['docs export many --format ndjson', 'pipe', ''],
])('svc %s -o %s ends without a failure once its reader has read enough', async (words, place, output) => {
  const pipe = place === 'pipe' ? 'mkfifo pipe; head -c 1 < pipe > out &' : ''

  const ran = await shell(`${pipe} { svc ${words} -q -o ${place}; echo "exit $?" >&2; } ${output}`)

  expect(ran.stderr).toBe('exit 0')
})

test('what cannot be opened for writing, as a socket, is said as any other failure', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(path('socket'), resolve))

  const ran = await shell('svc docs export many --format ndjson --json -o socket')

  server.close()
  expect(JSON.parse(ran.stdout)).toMatchObject({ error: { message: expect.stringContaining('ENXIO') } })
})
