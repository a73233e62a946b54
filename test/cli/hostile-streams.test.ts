import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EventGroup } from '../../client/protocol/model/events/emulator-event.js'
import { bin, cleanEnv, openWorld, type World } from './command-line.js'
import { type FakeService, openFakeService } from './fake-service.js'
import { controls, evil } from './hostile-answers.js'

// Contract 12.5 where output is streamed: `svc tail`, and messages beside a progress bar.

// biome-ignore lint/suspicious/noControlCharactersInRegex: how the bar finds its line and clears it.
const ofTheBar = /\u001b(\[(\?(25|7)[lh]|\d*[GJK])|[78])/g

const document = { id: 'x', collection: evil, data: { text: evil, [evil]: evil }, createdAt: evil, updatedAt: evil }
const file = { id: 'x', name: evil, path: '', url: `http://127.0.0.1:1/${evil}`, size: 1, mimeType: evil }

/** Changes as a stream sends them: of a document that was seen before, and of one that was not. */
const changes = [
  { event: 'created', document },
  { event: 'updated', document: { ...document, data: { text: `${evil}!`, more: [evil] } } },
  { event: 'updated', document: { ...document, id: evil } },
  { event: 'deleted', document },
].map((change, at) => ({ ...change, collection: evil, seq: at + 1 }))
const end = { code: 'FORBIDDEN', message: evil }

/** One of each group of events, after the one that opens the stream. */
const common = { at: '2026-03-01T12:00:00.000Z', projectId: evil }
const details = {
  document: { seq: 1, collection: evil, id: evil, version: 1, data: { [evil]: evil }, before: null },
  collection: { id: evil, name: evil },
  user: { id: evil, email: evil, what: [evil] },
  login: { user: evil, email: evil, why: evil },
  file: { id: evil, name: evil, size: 1 },
  mail: { id: evil, to: evil, subject: evil, why: evil },
  request: { id: evil, method: 'GET', path: evil, status: 404, code: evil, message: evil, milliseconds: 1 },
  connection: { id: evil, transport: evil, who: evil, collection: evil, why: evil },
  fault: { id: evil, kind: evil, method: evil, path: evil },
  clock: { now: evil, offset: 1 },
  snapshot: { name: evil },
  project: { name: evil, what: [evil] },
} satisfies Record<Exclude<EventGroup, 'stream'>, object>
const happened = [
  { ...common, id: 'x-0', kind: 'stream.opened', stream: { missed: null } },
  ...Object.entries(details).map(([group, detail], at) => ({
    ...{ ...common, id: `x-${at + 1}`, [group]: detail },
    kind: group === 'document' ? 'document.created' : `${group}.${evil}`,
  })),
]

let world: World
let service: FakeService
let sent: readonly object[] = changes

beforeAll(async () => {
  world = await openWorld()
  service = await openFakeService(({ path, method }) => {
    if (path === '/collections' && method === 'GET') return { body: [{ id: 'x', name: evil }] }
    if (path.startsWith('/realtime/sse/')) {
      const body = sent.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')
      return { headers: { 'content-type': 'text/event-stream' }, body }
    }
    if (path.startsWith('/_svc/api/events')) {
      const body = happened.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')
      return { headers: { 'content-type': 'text/event-stream' }, body }
    }
    if (path.includes('id__gt')) return { body: { documents: [], total: 1, limit: 20, offset: 0 } }
    return { body: { ...document, ...file, documents: [document], total: 1, limit: 20, offset: 0 } }
  })
  await writeFile(join(world.folder, 'rows.ndjson'), '{"a":1}\n')
})
afterAll(async () => {
  service.close()
  await world.close()
})

const to = () => ['--url', service.url, '--key', 'k', '--yes']

/** The raw output to the terminal. */
async function shown(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const line = [process.execPath, bin, ...words].map((word) => `'${word}'`).join(' ')
  const { stdout } = await execa('script', ['-qec', line, '/dev/null'], {
    cwd: world.folder,
    env: { ...cleanEnv(world.folder), TERM: 'xterm', NO_COLOR: '1', ...env },
    extendEnv: false,
    reject: false,
  })
  return stdout.replaceAll('\r\n', '\n')
}

describe.each([
  ['changes', changes, 0, ['evil', 'created', 'updated', 'deleted']],
  ['a failure that ends it', [end], 3, ['evil']],
])('contract 12.5 svc tail shows %s without control characters', (_, stream, exit, words) => {
  beforeAll(() => {
    sent = stream
  })
  const tail = ['tail', '--transport', 'sse', '--since', '0', '--max', String(changes.length)]

  test.each([[[]], [['--json']]])('in a pipe, %j', async (flags) => {
    const ran = await world.svc([...tail, ...flags, ...to()])

    const text = ran.stdout + ran.stderr
    expect(ran.exit).toBe(exit)
    for (const word of words) expect(text).toContain(word)
    expect(text).not.toMatch(controls)
  })

  test.each([[[]], [['--json']]])('at a terminal, %j', async (flags) => {
    const text = await shown([...tail, ...flags, ...to()])

    expect(text).toContain('evil')
    expect(text).not.toMatch(controls)
  })
})

test.each([[[]], [['--json']]])(
  'contract 12.5 svc tail --all shows events without control characters, %j',
  async (flags) => {
    const words = ['tail', '--all', '--max', String(happened.length - 1), ...flags]
    const env = { SVC_URL: service.url, SVC_PROJECT_ID: 'x', SVC_API_KEY: 'k', SVC_CONTROL_TOKEN: 'x' }
    const { stdout, stderr, exit } = await world.svc(words, { env })

    expect(exit).toBe(0)
    for (const group of Object.keys(details)) expect(stdout).toContain(`${group}.`)
    expect(stdout + stderr).not.toMatch(controls)
    expect(await shown(words, env)).not.toMatch(controls)
  },
)

test.each([
  ['files', 'upload', 'rows.ndjson'],
  ['docs', 'import', 'posts', 'rows.ndjson'],
  ['docs', 'export', 'posts', '--out', 'posts.ndjson'],
])('contract 12.5 the progress bar of svc %s %s %s has no control characters but its own', async (...words) => {
  const text = await shown([...words, ...to()])

  expect(text).toMatch(/\d+ %/)
  expect(text.replaceAll(ofTheBar, '').replaceAll('\r', '')).not.toMatch(controls)
})
