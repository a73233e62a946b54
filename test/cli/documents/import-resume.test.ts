/** Imports that were stopped or killed, and resume when the same command is run again. */
import { createWriteStream, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openState } from '../../../cli/imports/state.js'
import { openInput } from '../../../seeds/records/input.js'
import { controlOf } from '../../fixtures/events.js'
import { endsByItself } from '../../fixtures/patience.js'
import { openHoldingProxy } from '../../fixtures/proxies/holding-proxy.js'
import { bin, cleanEnv, openWorld, type SharedProject, type World } from '../command-line.js'

let world: World
let dev: SharedProject

beforeAll(async () => {
  world = await openWorld()
  dev = await world.useEmulator()
})
afterAll(() => world.close())

const file = (name: string, content: string) => writeFileSync(join(world.folder, name), content)
const states = () => join(world.folder, 'config', 'imports')
/** The progress file of an import into a collection of the emulator. */
async function stateOf(name: string, collection: string) {
  const { id } = (await world.json(['collections', 'get', collection])) as { id: string }
  return openState(states(), await openInput(join(world.folder, name)), [id, ''], { isLocked: false })
}

test('a state that is damaged is said, and nothing is created twice', async () => {
  const collection = 'damaged'
  file('damaged.ndjson', '{"n":1}\n')
  await world.svc(['collections', 'create', collection])
  const state = await stateOf('damaged.ndjson', collection)
  state.save({ id: 'import-1', file: 'damaged.ndjson', done: 1, endByte: 7, accepted: 1, refused: 0 })
  for (const name of readdirSync(states())) truncateSync(join(states(), name), 20)

  const again = await world.svc(['docs', 'import', collection, 'damaged.ndjson'])
  const count = await world.json(['docs', 'count', collection])
  const restarted = await world.svc(['docs', 'import', collection, 'damaged.ndjson', '--restart'])

  expect(again).toMatchObject({ exit: 5, stderr: expect.stringMatching(/is damaged\.\n.*--restart/) })
  expect(count).toEqual({ count: 0 })
  expect(restarted.exit).toBe(0)
})

/** A line of the file of refused rows. */
const refusal = (line: number, file = 'rows.ndjson') =>
  `${JSON.stringify({ file, record: line, line, reason: 'is not JSON', row: '{broken' })}\n`

/** As an import of 1,102 rows leaves it that is killed once it has sent the first thousand: two rows refused, one of them saved. */
async function killedImport(collection: string, name: string) {
  const rows = ['{broken', ...Array.from({ length: 1_100 }, (_, n) => JSON.stringify({ n })), '[1]']
  file(name, rows.join('\n'))
  await world.svc(['collections', 'create', collection])
  const refused = join(world.folder, `${collection}.refused.ndjson`)
  // Another import has added to it meanwhile.
  writeFileSync(refused, refusal(1, name) + refusal(1_102, name) + refusal(7) + refusal(1_102, name).slice(0, 20))
  const state = await stateOf(name, collection)
  const refusedFile = { path: refused, bytes: refusal(1, name).length }
  state.save({ ...{ id: 'i', file: name, endByte: 0 }, done: 1_001, accepted: 1_000, refused: 1, refusedFile })
  const linesNow = () =>
    readFileSync(refused, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  return { refused, linesNow }
}

test('a row that was refused just before a kill is in the file of refused rows once', async () => {
  const { linesNow } = await killedImport('refused-once', 'refused-once.ndjson')

  const resumed = await world.json(['docs', 'import', 'refused-once', 'refused-once.ndjson'])

  expect(resumed).toMatchObject({ accepted: 1_100, refused: 2 })
  expect(linesNow().map(({ line }) => line)).toEqual([1, 7, 1_102])
})

test('rows that someone has repaired in the file of refused rows meanwhile are not cut off', async () => {
  const { refused, linesNow } = await killedImport('repaired', 'repaired.ndjson')
  const repaired = { title: 'a longer row than the one that was refused' }
  writeFileSync(refused, `${JSON.stringify({ ...JSON.parse(refusal(1)), row: repaired })}\n`)

  await world.json(['docs', 'import', 'repaired', 'repaired.ndjson'])

  expect(linesNow()).toMatchObject([{ line: 1, row: repaired }, { line: 1_102 }])
})

test('an import by a pattern goes on, although its file of refused rows matches the pattern by then', async () => {
  const { linesNow } = await killedImport('pattern', 'pattern.ndjson')

  const resumed = await world.svc(['docs', 'import', 'pattern', 'pattern*.ndjson'])
  const again = await world.svc(['docs', 'import', 'pattern', 'pattern*.ndjson'])

  expect(resumed).toMatchObject({ exit: 5, stderr: expect.stringContaining('Skipped pattern.refused.ndjson') })
  expect(await world.json(['docs', 'count', 'pattern'])).toEqual({ count: 100 })
  expect(linesNow()).toHaveLength(3)
  // Once the import is done, the same command is another one, which would write over what it reads.
  expect(again).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('is both an input and the file for refused rows'),
  })
})

test('an import of several files that stops in a later one creates nothing of the earlier ones again', async () => {
  file('several-1.ndjson', '{"n":1}\n{"n":2}\n')
  writeFileSync(join(world.folder, 'several-2.csv'), Buffer.from('1f8b08000a', 'hex'))
  const words = ['docs', 'import', 'several', 'several-1.ndjson', 'several-2.csv', '--create']

  const stopped = await world.svc(words)
  file('several-2.csv', 'n\n3\n')
  const resumed = await world.svc(words)
  const count = await world.json(['docs', 'count', 'several'])
  await world.svc(words)

  expect(stopped).toMatchObject({ exit: 5, stderr: expect.stringContaining('"several-2.csv" is packed') })
  expect(resumed).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('several-1.ndjson, which was imported before: 2 records'),
  })
  expect(count).toEqual({ count: 3 })
  // Once the whole import is done, the same command starts another one.
  expect(await world.json(['docs', 'count', 'several'])).toEqual({ count: 6 })
})

/** An import of stdin that stays open, once its first thousand rows went in. */
async function importOpenPipe(collection: string, name = '-') {
  await world.svc(['collections', 'create', collection])
  const child = execa(process.execPath, [bin, 'docs', 'import', collection, name], {
    ...{ cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false },
    ...endsByItself,
  })
  const pipe = name === '-' ? child.stdin : createWriteStream(join(world.folder, name))
  pipe.write(Array.from({ length: 1_001 }, (_, n) => `{"n":${n}}\n`).join(''))
  await expect.poll(() => world.json(['docs', 'count', collection])).toEqual({ count: 1_000 })
  // A promise of a child would be awaited here.
  return { child, pipe }
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  'an import of a pipe in which nothing comes ends at the first %s, and says what went in',
  async (signal, exit) => {
    const { child } = await importOpenPipe(`pipe-${signal}`)

    child.kill(signal)
    const { exitCode, stderr } = await child

    expect(exitCode).toBe(exit)
    expect(stderr).toContain('Stopped after 1,000 documents; the rest of stdin was not imported, from record 1,001 on.')
    expect(stderr).toContain('The same command would import all records again.')
    expect(stderr).not.toContain('Nothing is lost')
    expect(await world.json(['docs', 'count', `pipe-${signal}`])).toEqual({ count: 1_000 })
  },
)

test('an import of a pipe whose service refuses the rest says how many documents went in', async () => {
  const { child, pipe } = await importOpenPipe('pipe-refused')
  await world.json(['faults', 'add', 'status', '--status', '403', '--path', '/collections/pipe-refused/**'])

  pipe.end()
  const { exitCode, stderr } = await child
  await controlOf(dev).faults.clear({ project: dev.projectId })

  expect(exitCode).toBe(3)
  expect(stderr).toContain('Imported 1,000 documents. In stdin, record 1,001 may be missing. Stdin and pipes cannot')
})

/** Passes on what is asked, but refuses the batch with the first row, once both others have been answered. */
async function refusingTheFirst(target: string) {
  let [others, tellOthers] = [0, () => {}]
  const othersAnswered = new Promise<void>((resolve) => {
    tellOthers = resolve
  })
  const server = createServer(async (req, res) => {
    const body = await text(req)
    const isFirst = body.includes('{"n":0}')
    if (isFirst) await othersAnswered
    const { host: _, 'content-length': __, ...headers } = req.headers
    const answer = isFirst
      ? Response.json({ error: { code: 'FORBIDDEN', message: 'No.' } }, { status: 403 })
      : await fetch(target + req.url, {
          method: req.method ?? 'GET',
          headers: new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)])),
          ...(body === '' ? {} : { body }),
        })
    res.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    if (req.method === 'POST' && !isFirst && ++others === 2) tellOthers()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

test('an import of stdin counts, and keeps the refused rows of, what was answered although a request before it failed', async () => {
  await world.svc(['collections', 'create', 'gaps'])
  const service = await refusingTheFirst(dev.url)
  const rows = Array.from({ length: 3_000 }, (_, n) => `{"n":${n}}`)
  const input = [...rows.slice(0, 1_500), '{broken', ...rows.slice(1_500)].join('\n')

  const { exit, stderr } = await world.svc(['docs', 'import', 'gaps', '-'], {
    ...{ input, env: { SVC_URL: service.url, SVC_API_KEY: dev.apiKey } },
  })
  service.close()

  expect(exit).toBe(3)
  expect(stderr).toContain('Imported 2,000 documents. In stdin, records 1 to 1,000 may be missing. Stdin and')
  expect(await world.json(['docs', 'count', 'gaps'])).toEqual({ count: 2_000 })
  expect(readFileSync(join(world.folder, 'gaps.refused.ndjson'), 'utf8')).toContain('"line":1501')
})

test('an import of a pipe with a name ends at the first signal, too', async () => {
  await execa('mkfifo', [join(world.folder, 'rows')])
  const { child, pipe } = await importOpenPipe('named-pipe', 'rows')

  child.kill('SIGTERM')
  const { exitCode, stderr } = await child
  pipe.on('error', () => undefined).end()

  expect(exitCode).toBe(143)
  expect(stderr).toContain('the rest of rows was not imported, from record 1,001 on.')
})

test('a pipe that is named has no state: another one would be taken for it', async () => {
  const named = { name: '/dev/fd/63', path: '/dev/fd/63', bytes: undefined, changedAt: 0 }

  const state = await openState(states(), named, ['c'])
  state.save({ id: 'import-1', file: '/dev/fd/63', done: 1, endByte: 7, accepted: 1, refused: 0 })

  expect((await openState(states(), named, ['c'])).found).toBeUndefined()
})

test.each(['SIGINT', 'SIGKILL'] as const)(
  'an import ended by %s goes on where it stopped: nothing lost, nothing twice',
  async (signal) => {
    const collection = `resumed-${signal}`
    const rows = 20_000
    await world.svc(['collections', 'create', collection])
    file(
      `${collection}.ndjson`,
      Array.from({ length: rows }, (_, at) => `{"at":${at},"text":"${'x'.repeat(100)}"}`).join('\n'),
    )
    const words = ['docs', 'import', collection, `${collection}.ndjson`]
    const proxy = await openHoldingProxy(dev.url, 3)
    const child = execa(process.execPath, [bin, ...words], {
      cwd: world.folder,
      env: { ...cleanEnv(world.folder), SVC_URL: proxy.url, SVC_API_KEY: dev.apiKey },
      extendEnv: false,
      reject: false,
      ...endsByItself,
    })
    await proxy.held

    child.kill(signal)
    proxy.release()
    const stopped = await child
    proxy.close()
    const resumed = await world.terminal(words, [])

    if (signal === 'SIGINT')
      expect(stopped).toMatchObject({
        exitCode: 130,
        stderr: expect.stringContaining('To resume, repeat the command.'),
      })
    // A state is saved each half second only: a process that is killed may have saved none, and creates nothing twice all the same.
    if (signal === 'SIGINT') expect(resumed.stdout).toMatch(/^Resuming .* after [\d,]+ records\.$/m)
    expect(resumed.exit).toBe(0)
    expect(await world.json(['docs', 'count', collection])).toEqual({ count: rows })
    expect(await world.json(['docs', 'list', collection, '--sort', '-at', '--limit', '1'])).toMatchObject({
      items: [{ data: { at: rows - 1 } }],
    })
  },
)
