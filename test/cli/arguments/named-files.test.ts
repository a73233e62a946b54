/** Files that a user names for what is written: nothing of theirs is lost, and what is private stays so. */
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bin, cleanEnv, hungMilliseconds, openWorld, type World } from '../command-line.js'

let world: World

beforeAll(async () => {
  world = await openWorld()
  await world.useEmulator()
  await world.svc(['collections', 'create', 'posts', '--field', 'title:string'])
})
afterAll(() => world.close())

const path = (...name: string[]) => join(world.folder, ...name)
const write = (name: string, text: string, mode?: number) => writeFileSync(path(name), text, { mode })
const read = (name: string) => readFileSync(path(name), 'utf8')
const modeOf = (name: string) => statSync(path(name)).mode & 0o777

/** A file of refused rows, as an import writes it. */
function refusedRows(...numbers: number[]): string {
  const rows = numbers.map((line) => ({
    file: 'posts.ndjson',
    record: line,
    line,
    reason: 'bad',
    row: { title: line },
  }))
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

test.each([
  ['rows that were repaired', '{"title":"a"}\n', 'contains other data than refused rows'],
  ['refused rows', refusedRows(1), 'is both an input and the file for refused rows'],
])('an import of the file for refused rows, which holds %s, leaves it', async (_, text, said) => {
  write('posts.refused.ndjson', text)

  const named = await world.svc(['docs', 'import', 'posts', 'posts.refused.ndjson'])
  const matched = await world.svc(['docs', 'import', 'posts', '*.refused.ndjson'])

  for (const ran of [named, matched]) {
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining(`"posts.refused.ndjson" ${said}`) })
    expect(ran.stderr).toContain('--refused')
  }
  expect(read('posts.refused.ndjson')).toBe(text)
  expect(await world.json(['docs', 'count', 'posts'])).toEqual({ count: 0 })
})

test('the file for refused rows is known as an input by any name, and as stdin', async () => {
  const text = refusedRows(1)
  mkdirSync(path('other'))
  write('rows.ndjson', text)
  symlinkSync(path('rows.ndjson'), path('link.ndjson'))
  linkSync(path('rows.ndjson'), path('hard.ndjson'))
  const line = `'${process.execPath}' '${bin}' docs import posts - --refused rows.ndjson < rows.ndjson`

  for (const name of ['other/../rows.ndjson', 'link.ndjson', 'hard.ndjson']) {
    const ran = await world.svc(['docs', 'import', 'posts', 'rows.ndjson', '--refused', name])
    expect(ran, name).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('is both an input and the file for refused rows'),
    })
  }
  const redirected = await execa('sh', ['-c', line], {
    cwd: world.folder,
    env: cleanEnv(world.folder),
    extendEnv: false,
    reject: false,
  })

  expect(redirected).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('is both an input and the file for refused rows'),
  })
  expect(read('rows.ndjson')).toBe(text)
})

test('--refused writes over refused rows, whole or cut, and over nothing else', async () => {
  write('titles.ndjson', '{"title":"a"}\n{"title":5}\n')
  const importing = (refused: string) => world.svc(['docs', 'import', 'posts', 'titles.ndjson', '--refused', refused])
  for (const [name, text] of [
    ['notes.txt', 'milk\n'],
    ['list.json', '[{"file":"a"}]'],
    ['own.ndjson', `${refusedRows(1)}{"title":"mine"}\n`],
  ] as const) {
    write(name, text)
    const ran = await importing(name)
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining(`"${name}" contains other data`) })
    expect(read(name)).toBe(text)
  }
  write('earlier.ndjson', refusedRows(7, 8).slice(0, -20))

  const ran = await importing('earlier.ndjson')
  const nowhere = await importing('nowhere/refused.ndjson')

  expect(ran.exit).toBe(5)
  expect(JSON.parse(read('earlier.ndjson'))).toMatchObject({ file: 'titles.ndjson', line: 2, row: { title: 5 } })
  expect(nowhere).toMatchObject({ exit: 4, stderr: expect.stringContaining('No folder') })
})

/** Runs it with a pipe of this name, and answers what came out of it. */
async function throughPipe(name: string, words: readonly string[]) {
  await execa('mkfifo', [path(name)])
  const reading = execa('cat', [path(name)], { encoding: 'buffer', reject: false, timeout: hungMilliseconds })
  const { exit, stderr } = await world.svc(words)
  const isPipe = lstatSync(path(name)).isFIFO()
  if (!isPipe) reading.kill()
  return { exit, stderr, isPipe, bytes: Buffer.from((await reading).stdout) }
}

test('a pipe takes refused rows, types, requests and snapshots, and stays one', async () => {
  write('bad.ndjson', '{"title":5}\n')
  await world.svc(['snapshot', 'save', 'piped'])
  const outputs = [
    [['docs', 'import', 'posts', 'bad.ndjson', '--refused', 'refused'], 'refused', '"row":{"title":5}'],
    [['types', 'generate', '--out', 'types'], 'types', 'posts'],
    [['requests', 'export', '--out', 'requests'], 'requests', '"log"'],
    [['snapshot', 'export', 'piped', 'snapshot', '--replace'], 'snapshot', 'SHA256SUMS'],
  ] as const

  for (const [words, name, content] of outputs) {
    const { exit, isPipe, bytes } = await throughPipe(name, words)
    expect({ name, exit, isPipe }).toEqual({ name, exit: name === 'refused' ? 5 : 0, isPipe: true })
    expect(bytes.toString('latin1'), name).toContain(content)
  }
})

test('a link for refused rows stays one, and leads to those of the last import', async () => {
  write('kept.ndjson', refusedRows(1, 2, 3))
  symlinkSync('kept.ndjson', path('linked.ndjson'))
  write('one-bad.ndjson', '{"title":5}\n')

  await world.svc(['docs', 'import', 'posts', 'one-bad.ndjson', '--refused', 'linked.ndjson'])

  expect(readlinkSync(path('linked.ndjson'))).toBe('kept.ndjson')
  expect(JSON.parse(read('kept.ndjson'))).toMatchObject({ file: 'one-bad.ndjson', line: 1 })
})

test.each([['dev', '--memory', '--port', '0'], ['serve']])(
  'svc %s --ready-file removes what an earlier start has left, and nothing else',
  async (...words) => {
    const other = await openWorld()
    const place = (name: string) => join(other.folder, name)
    writeFileSync(place('notes.txt'), 'milk')
    writeFileSync(place('settings.json'), '{"url":"http://127.0.0.1:1"}')
    symlinkSync('nowhere', place('link'))

    for (const name of ['notes.txt', 'settings.json', 'link']) {
      const ran = await other.svc([...words, '--ready-file', name])
      expect(ran, name).toMatchObject({ exit: 2, stderr: expect.stringContaining(`"${name}" `) })
    }

    expect(readFileSync(place('notes.txt'), 'utf8')).toBe('milk')
    expect(readFileSync(place('settings.json'), 'utf8')).toBe('{"url":"http://127.0.0.1:1"}')
    expect(readlinkSync(place('link'))).toBe('nowhere')
    writeFileSync(place('ready.json'), '{"url":"http://127.0.0.1:1","pid":1}')
    writeFileSync(place('made.json'), '')
    // Neither can start here: what is left of an earlier start is gone by then.
    for (const name of ['ready.json', 'made.json']) {
      await other.svc(['serve', '--ready-file', name])
      expect(existsSync(place(name)), name).toBe(false)
    }
    await other.close()
  },
)

test('a snapshot and requests in a file are readable by their owner alone, whatever was there', async () => {
  await world.svc(['snapshot', 'save', 'secret'])
  write('secret.tar.part', 'of a process that was killed', 0o644)
  write('requests.har', '{}', 0o644)

  const exported = await world.svc(['snapshot', 'export', 'secret'])
  const requests = await world.svc(['requests', 'export', '--out', 'requests.har'])
  const first = modeOf('secret.tar')
  write('public.tar', '', 0o644)
  await world.svc(['snapshot', 'export', 'secret', 'public.tar', '--replace', '--with-secrets'])

  expect([exported.exit, requests.exit]).toEqual([0, 0])
  expect([first, modeOf('public.tar'), modeOf('requests.har')]).toEqual([0o600, 0o600, 0o600])
  expect(await world.json(['snapshot', 'import', 'secret.tar', '--name', 'again'])).toMatchObject({ name: 'again' })
})

test('what is written to a link goes where it leads, also to what is not there yet', async () => {
  const outputs = [
    [['requests', 'export', '--out'], 'har', '"log"'],
    [['types', 'generate', '--out'], 'ts', 'posts'],
    [['seed', 'export', '--out'], 'json', 'collections'],
    [['docs', 'export', 'posts', '--out'], 'ndjson', ''],
  ] as const
  for (const [words, ending, content] of outputs) {
    write(`real.${ending}`, '')
    symlinkSync(`real.${ending}`, path(`to.${ending}`))
    symlinkSync(`../${basename(world.folder)}/new.${ending}`, path(`first.${ending}`))
    symlinkSync(`first.${ending}`, path(`new-to.${ending}`))
    for (const [from, to] of [
      ['to', 'real'],
      ['new-to', 'new'],
    ]) {
      const ran = await world.svc([...words, `${from}.${ending}`])

      expect(ran, words.join(' ')).toMatchObject({ exit: 0 })
      expect(lstatSync(path(`${from}.${ending}`)).isSymbolicLink(), words.join(' ')).toBe(true)
      expect(read(`${to}.${ending}`)).toContain(content)
    }
  }
})

test('a link into a folder that is not there is refused in words, and stays', async () => {
  symlinkSync('nowhere/out.ndjson', path('astray.ndjson'))
  symlinkSync('round.ndjson', path('round.ndjson'))

  const ran = await world.svc(['docs', 'export', 'posts', '--out', 'astray.ndjson'])
  const round = await world.svc(['docs', 'export', 'posts', '--out', 'round.ndjson'])

  expect(ran).toMatchObject({ exit: 4, stderr: expect.stringMatching(/No folder ".*nowhere"/) })
  expect(round).toMatchObject({ exit: 1, stderr: expect.stringContaining('ELOOP') })
  expect([readlinkSync(path('astray.ndjson')), readlinkSync(path('round.ndjson'))]).toEqual([
    'nowhere/out.ndjson',
    'round.ndjson',
  ])
})

/** What runs a shell with mounts of its own, as in a container. Not every machine lets a user have them. */
const mounting = ['-rm', 'sh', '-c']
const mayMount = spawnSync('unshare', [...mounting, 'mount --bind /dev/null /dev/null']).status === 0

test.skipIf(!mayMount)('a file that is mounted by itself is written through', async () => {
  write('stored.txt', 'stored')
  await world.svc(['files', 'upload', 'stored.txt', '--to', 'mounted'])
  await world.svc(['docs', 'create', 'posts', 'title=exported'])
  mkdirSync(path('loaded', 'mounted'), { recursive: true })
  const outputs = [
    ['m.har', '"log"', 'requests export --out m.har'],
    ['m.ts', 'posts', 'types generate --out m.ts'],
    ['m.json', 'collections', 'seed export --out m.json'],
    ['m.ndjson', '"exported"', 'docs export posts --out m.ndjson'],
    ['loaded/mounted/stored.txt', 'stored', 'files download mounted --to loaded --replace'],
    ['ready.json', '', 'dev --memory --port 0 --ready-file ready.json -- true'],
  ] as const
  for (const [name, content, words] of outputs) {
    write(`${basename(name)}.host`, '')
    write(name, '')
    const script = `mount --bind '${basename(name)}.host' '${name}' && exec '${process.execPath}' '${bin}' ${words}`
    const ran = await execa('unshare', [...mounting, script], {
      cwd: world.folder,
      env: cleanEnv(world.folder),
      extendEnv: false,
      reject: false,
    })

    expect(ran, words).toMatchObject({ exitCode: 0 })
    expect(read(`${basename(name)}.host`), words).toContain(content)
  }
  expect(readdirSync(world.folder).filter((name) => name.startsWith('m.') && name.split('.').length > 3)).toEqual([])
})

test('a download leaves files alone that are called as its own with an ending', async () => {
  for (const name of ['report', 'report.part']) write(name, `of ${name}`)
  await world.svc(['files', 'upload', 'report', 'report.part', '--to', 'x'])
  await world.svc(['snapshot', 'save', 'noted'])
  mkdirSync(path('out/x'), { recursive: true })
  write('noted.part', 'of the user')
  write('out/x/report.part', 'of the user')

  const refused = await world.svc(['files', 'download', 'x', '--to', 'out'])
  await world.svc(['snapshot', 'export', 'noted', 'noted'])
  const all = await world.svc(['files', 'download', 'x', '--to', 'both'])

  expect(refused.exit).toBe(5)
  expect([read('out/x/report.part'), read('noted.part')]).toEqual(['of the user', 'of the user'])
  expect(all.exit).toBe(0)
  const found = readdirSync(path('both'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const texts = found.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
  expect(texts.sort()).toEqual(['of report', 'of report.part'])
})
