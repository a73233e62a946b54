import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openExportFile } from '../../../cli/exports/export-file.js'
import { createClient } from '../../../client/index.js'
import { endsByItself } from '../../fixtures/patience.js'
import { openHoldingProxy } from '../../fixtures/proxies/holding-proxy.js'
import { bin, cleanEnv, openWorld, type SharedProject, type World } from '../command-line.js'

/** Several pages. */
const documents = 1_500
let world: World
let project: SharedProject

beforeAll(async () => {
  world = await openWorld()
  project = await world.useEmulator()
  const rows = Array.from({ length: documents }, (_, at) => `{"at":${at},"text":"${'é'.repeat(50)}"}`)
  writeFileSync(path('rows.ndjson'), rows.join('\n'))
  await world.svc(['docs', 'import', 'rows', 'rows.ndjson', '--create'])
})
afterAll(() => world.close())

const path = (name: string) => join(world.folder, name)
const exporting = (...words: string[]) => world.svc(['docs', 'export', 'rows', ...words])

/** Starts an export in a process, and answers once it has written the first pages. Its other pages wait for `release`. */
async function begin(out: string) {
  // The total, the collection, and two pages. The second is asked for while the first is written.
  const proxy = await openHoldingProxy(project.url, 4, ['GET'])
  const child = execa(process.execPath, [bin, 'docs', 'export', 'rows', '--out', out], {
    ...{ cwd: world.folder, extendEnv: false, reject: false, ...endsByItself },
    env: { ...cleanEnv(world.folder), SVC_URL: proxy.url, SVC_API_KEY: project.apiKey },
  })
  await proxy.held
  await expect.poll(() => existsSync(path(`${out}.part.state`))).toBe(true)
  child.finally(() => proxy.close())
  return { child, release: proxy.release }
}

/** Ends the export with the signal once it has written some, and answers how it ended. */
async function interrupt(out: string, signal: NodeJS.Signals) {
  const { child, release } = await begin(out)
  child.kill(signal)
  release()
  return child
}

test('contract 10.11 a filter with as many values as it may have', async () => {
  const values = Array.from({ length: 200 }, (_, at) => at * 2)

  const exported = await exporting('--where', `at__in=${values.join(',')}`, '--out', 'some.ndjson')

  expect(exported).toMatchObject({ exit: 0 })
  expect(numbersIn('some.ndjson')).toEqual(values)
})

test.each([
  ['SIGINT', 'stopped.ndjson', 130],
  ['SIGTERM', 'ended-early.ndjson', 143],
  ['SIGKILL', 'killed.json', undefined],
] as const)('an export ended by %s leaves no %s, and the same command goes on', async (signal, out, exit) => {
  const stopped = await interrupt(out, signal)
  const isThere = existsSync(path(out))
  // As a process that was killed while it wrote leaves it.
  writeFileSync(path(`${out}.part`), '{"at":', { flag: 'a' })

  const resumed = await exporting('--out', out)

  expect(isThere).toBe(false)
  if (exit !== undefined) {
    expect(stopped).toMatchObject({ exitCode: exit, stderr: expect.stringContaining('To resume, repeat the command.') })
  }
  expect(resumed).toMatchObject({ exit: 0, stderr: expect.stringMatching(/Resuming after [\d,]+ documents/) })
  expect(numbersIn(out)).toEqual(Array.from({ length: documents }, (_, at) => at))
  expect(existsSync(path(`${out}.part`)) || existsSync(path(`${out}.part.state`))).toBe(false)
})

test('an export to a file that another is writing is refused, and leaves that one alone', async () => {
  const { child, release } = await begin('both.ndjson')
  const others = [
    await exporting('--out', 'both.ndjson'),
    await exporting('--out', 'both.ndjson', '--where', 'at__lt=5', '--restart'),
  ]
  release()
  await child

  for (const other of others) {
    expect(other).toMatchObject({ exit: 5, stderr: expect.stringContaining('Another export is writing') })
    expect(other.stderr).toContain(`It is process ${child.pid}.`)
  }
  expect(numbersIn('both.ndjson')).toEqual(Array.from({ length: documents }, (_, at) => at))
  expect(claimsOf('both.ndjson')).toEqual([])
})

test('an export that ends leaves the claim of another alone, and the next is refused until that one has ended', async () => {
  const { child, release } = await begin('next.ndjson')
  // As another that begins in the moment in which this one ends: this process is there.
  const claim = `next.ndjson.part.${process.pid}.pid`
  writeFileSync(path(claim), '')

  release()
  const ended = await child
  const third = await exporting('--out', 'next.ndjson')
  const left = claimsOf('next.ndjson')
  rmSync(path(claim))
  const last = await exporting('--out', 'next.ndjson', '--where', 'at=1')

  expect([ended.exitCode, third.exit, last.exit]).toEqual([0, 5, 0])
  expect(left).toEqual([claim])
  expect(numbersIn('next.ndjson')).toEqual([1])
})

test('the claim of a killed export is taken over, and not that of one that has come since', async () => {
  await interrupt('raced.ndjson', 'SIGKILL')
  const left = claimsOf('raced.ndjson')

  // This process has come since.
  const since = path(`raced.ndjson.part.${process.pid}.pid`)
  writeFileSync(since, '')
  const refused = await exporting('--out', 'raced.ndjson')
  rmSync(since)
  const ran = await Promise.all([1, 2, 3].map(() => exporting('--out', 'raced.ndjson')))
  const last = await exporting('--out', 'raced.ndjson')

  expect(left).toHaveLength(1)
  expect(refused.exit).toBe(5)
  for (const { exit, stderr } of [...ran, last]) {
    expect(stderr).toContain(exit === 0 ? 'Exported 1,500 documents' : 'Another export is writing')
  }
  expect(last.exit).toBe(0)
  expect(numbersIn('raced.ndjson')).toEqual(Array.from({ length: documents }, (_, at) => at))
  expect(claimsOf('raced.ndjson')).toEqual([])
})

const claimsOf = (out: string) =>
  readdirSync(world.folder).filter((name) => name.startsWith(out) && name.endsWith('.pid'))

test('an export that asks for something else begins anew, and so does --restart', async () => {
  await interrupt('other.ndjson', 'SIGINT')
  const other = await exporting('--out', 'other.ndjson', '--where', 'at__lt=5')
  await interrupt('again.ndjson', 'SIGINT')
  const again = await exporting('--out', 'again.ndjson', '--restart')

  expect(other.stderr).not.toContain('Resuming')
  expect(numbersIn('other.ndjson')).toEqual([0, 1, 2, 3, 4])
  expect(again.stderr).not.toContain('Resuming')
  expect(read('again.ndjson')).toHaveLength(documents)
})

test('an export does not go on with a file that is shorter than it was, and --restart forgets how far it came', async () => {
  await interrupt('short.ndjson', 'SIGINT')
  truncateSync(path('short.ndjson.part'), 10)
  const short = await exporting('--out', 'short.ndjson')
  await interrupt('ended.ndjson', 'SIGINT')
  // And is ended before it writes.
  const target = {
    path: path('ended.ndjson'),
    format: 'ndjson',
    columns: undefined,
    withIds: false,
    isSafe: false,
  } as const
  await openExportFile({ ...target, restart: true, question: [] })

  expect(short.stderr).not.toContain('Resuming')
  expect(numbersIn('short.ndjson')).toEqual(Array.from({ length: documents }, (_, at) => at))
  expect(existsSync(path('ended.ndjson.part.state'))).toBe(false)
})

test('an export does not go on with the file of another service', async () => {
  await interrupt('elsewhere.ndjson', 'SIGINT')
  const other = await openWorld()
  const { url, apiKey } = await other.useEmulator()
  const env = { SVC_URL: url, SVC_API_KEY: apiKey }
  await other.svc(['docs', 'import', 'rows', '-', '--create'], { input: '{"at":-1}' })

  const ran = await world.svc(['docs', 'export', 'rows', '--out', 'elsewhere.ndjson'], { env })
  await other.close()

  expect(ran.exit).toBe(0)
  expect(read('elsewhere.ndjson')).toEqual([{ at: -1 }])
})

test('columns are chosen, ids go along when asked for, and no match is an empty file of its form', async () => {
  const csv = await world.svc(['docs', 'export', 'rows', '--format', 'csv', '--columns', 'at', '--where', 'at__lt=2'])
  const ids = await world.svc(['docs', 'export', 'rows', '--with-ids', '--where', 'at=7'])
  const empty: string[] = []
  for (const format of ['ndjson', 'json', 'csv']) {
    const words = ['docs', 'export', 'rows', '--format', format, '--columns', 'at', '--where', 'at=-1']
    empty.push((await world.svc(words)).stdout)
  }

  expect(csv.stdout).toBe('at\n0\n1\n')
  expect(JSON.parse(ids.stdout)).toEqual({ id: expect.stringMatching(/^[\da-f-]{36}$/), at: 7, text: 'é'.repeat(50) })
  expect(empty).toEqual(['', '[]\n', 'at\n'])
})

test('--with-ids writes the id of each document, and not a field that is called id', async () => {
  await world.svc(['collections', 'create', 'named'])
  const { id } = (await world.json(['docs', 'create', 'named', 'id=x', 'title=a'])) as { id: string }
  const words = ['docs', 'export', 'named', '--with-ids']

  const ndjson = await world.svc(words)
  const csv = await world.svc([...words, '--format', 'csv', '--out', 'named.csv'])
  const chosen = await world.svc([...words, '--format', 'csv', '--columns', 'title,id'])
  const plain = await world.svc(['docs', 'export', 'named'])
  const imported = await world.svc(['docs', 'import', 'named', 'named.csv', '--upsert', '--by', 'id'])

  expect(JSON.parse(ndjson.stdout)).toEqual({ id, title: 'a' })
  expect([csv.exit, readFileSync(path('named.csv'), 'utf8')]).toEqual([0, `id,title\n${id},a\n`])
  expect(chosen.stdout).toBe(`id,title\n${id},a\n`)
  expect(JSON.parse(plain.stdout)).toEqual({ id: 'x', title: 'a' })
  expect(imported.exit).toBe(0)
  expect(await world.json(['docs', 'list', 'named'])).toMatchObject({ total: 1, items: [{ id, data: { id: 'x' } }] })
})

test('--safe keeps text from becoming a formula in a spreadsheet, in exports and in lists', async () => {
  const texts = ['=1+1', '+41', '-x', '@a', '\ttab', 'a=b']
  await world.svc(['collections', 'create', 'formulas'])
  for (const text of texts) await world.svc(['docs', 'create', 'formulas', `text=${text}`, 'number:=-5'])
  const cells = (csv: string) =>
    csv
      .trim()
      .split('\n')
      .map((line) => line.split(',')[0])

  const safe = await world.svc(['docs', 'export', 'formulas', '--format', 'csv', '--columns', 'text,number', '--safe'])
  const plain = await world.svc(['docs', 'export', 'formulas', '--format', 'csv', '--columns', 'text,number'])
  const listing = ['docs', 'list', 'formulas', '--format', 'csv', '--columns', 'text', '--sort', 'id', '--safe']
  const listed = await world.svc(listing)

  expect(cells(plain.stdout)).toEqual(['text', ...texts])
  expect(cells(safe.stdout)).toEqual(['text', "'=1+1", "'+41", "'-x", "'@a", "'\ttab", 'a=b'])
  expect(safe.stdout).toContain(',-5\n')
  expect(cells(listed.stdout)).toEqual(cells(safe.stdout))
})

test('a pipe is written to, and not replaced by a file', async () => {
  await execa('mkfifo', [path('pipe')])
  const read = execa('cat', [path('pipe')])

  const ran = await exporting('--out', 'pipe', '--format', 'json', '--where', 'at__lt=2')

  expect(ran.exit).toBe(0)
  expect(JSON.parse((await read).stdout)).toMatchObject([{ at: 0 }, { at: 1 }])
  expect(statSync(path('pipe')).isFIFO()).toBe(true)
})

test('a format that the name does not show is asked for', async () => {
  const ran = await world.svc(['docs', 'export', 'rows', '--out', 'rows.txt'])

  expect(ran).toMatchObject({ exit: 2, stderr: expect.stringMatching(/"rows\.txt"(.|\n)*--format/) })
  expect(existsSync(path('rows.txt.part'))).toBe(false)
})

/** In their own order: concurrent requests on import change the order of creation. */
function numbersIn(file: string): number[] {
  return read(file)
    .map(({ at }) => at)
    .sort((one, other) => one - other)
}

function read(file: string): { at: number }[] {
  const text = readFileSync(path(file), 'utf8')
  return file.endsWith('.json')
    ? JSON.parse(text)
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
}

test('contract 10.10 documents of which a page would be too large are exported and listed, a smaller page at a time', async () => {
  // 36 MB, where an answer has at most 32.
  const rows = Array.from({ length: 40 }, (_, at) => JSON.stringify({ at, text: 'x'.repeat(900_000) }))
  writeFileSync(path('large.ndjson'), `${rows.join('\n')}\n`)
  await world.svc(['docs', 'import', 'large', 'large.ndjson', '--create'])

  const page = await world.svc(['docs', 'list', 'large', '--limit', '40'])
  const exported = await world.svc(['docs', 'export', 'large', '--out', 'exported.ndjson'])
  const listed = await world.svc(['docs', 'list', 'large', '--all', '--columns', 'at'])

  expect([page.exit === 0, page.stderr]).toEqual([false, expect.stringContaining('too large')])
  expect([exported.exit, listed.exit]).toEqual([0, 0])
  const ats = readFileSync(path('exported.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).at)
  expect(ats.sort((one, other) => one - other)).toEqual(rows.map((_, at) => at))
  expect(listed.stdout.trim().split('\n').length).toBeGreaterThanOrEqual(40)
})

test('CSV has the fields of the schema in its order, then the others, or those that are named', async () => {
  const schema = { title: { type: 'string' }, age: { type: 'number' }, by: { type: 'string' } } as const
  const svc = createClient(JSON.parse(readFileSync(path('.svc/emulator.json'), 'utf8')))
  await svc.collections.create({ name: 'ordered', schema })
  await svc.collection('ordered').createMany([
    { more: 1, by: 'Ada', title: 'a' },
    { age: 2, title: 'b' },
  ])
  const head = async (...words: string[]) => (await world.svc(words)).stdout.split('\n')[0]

  expect(await head('docs', 'export', 'ordered', '--format', 'csv')).toBe('title,age,by,more')
  expect(await head('docs', 'export', 'ordered', '--format', 'csv', '--fields', 'by,title')).toBe('by,title')
  const listed = 'id,title,age,by,more,createdAt,updatedAt'
  expect(await head('docs', 'list', 'ordered', '--format', 'csv')).toBe(listed)
  expect(await head('docs', 'list', 'ordered', '--all', '--format', 'csv')).toBe(listed)
})
