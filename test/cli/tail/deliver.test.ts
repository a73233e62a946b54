/** `svc tail --exec` and `--forward-to`: what else happens with an event, and until when. */
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createClient } from '../../../client/index.js'
import { endsByItself, patiently } from '../../fixtures/patience.js'
import { bin, cleanEnv, openWorld, type SharedProject, type World } from '../command-line.js'

let world: World
let dev: SharedProject
let number = 0
let posts: string

beforeAll(async () => {
  world = await openWorld()
  dev = await world.useEmulator()
})
afterAll(() => world.close())

beforeEach(async () => {
  posts = `posts${++number}`
  await createClient(dev).collections.create({ name: posts })
})

/** A document that was created, changed and deleted; the events of it are kept. */
async function aLife(collection: string): Promise<void> {
  const documents = createClient(dev).collection(collection)
  const { id } = await documents.create({ title: 'Tea', views: 1 })
  await documents.update(id, { views: 2 })
  await documents.delete(id)
}

function linesOf(stdout: string): { event: string }[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Starts it on the events that are kept. */
const startTail = (...flags: string[]) =>
  execa(process.execPath, [bin, 'tail', posts, '--since', '0', ...flags], {
    ...{ cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false },
    ...endsByItself,
  })

test('svc tail --exec gives each event to a command, in order, and fails when it does', async () => {
  await aLife(posts)

  const command = 'cat >> events.ndjson; echo $SVC_EVENT >> kinds.txt; test $SVC_EVENT != updated'
  const { exit, stderr } = await world.svc(['tail', posts, '--since', '0', '--max', '3', '--exec', command])

  expect(readFileSync(join(world.folder, 'kinds.txt'), 'utf8')).toBe('created\nupdated\ndeleted\n')
  const events = linesOf(readFileSync(join(world.folder, 'events.ndjson'), 'utf8'))
  expect(events.map(({ event }) => event)).toEqual(['created', 'updated', 'deleted'])
  expect(exit).toBe(1)
  expect(stderr).toContain('failed with exit code 1')
})

test('a command of svc tail --exec that does not end is killed once the tail ends', async () => {
  await aLife(posts)
  await execa('mkfifo', [join(world.folder, 'unread')])

  // The shell itself waits for a reader.
  const child = startTail('--exec', 'touch waiting; exec cat > unread')
  await expect.poll(() => existsSync(join(world.folder, 'waiting')), patiently).toBe(true)
  child.kill('SIGINT')
  const { exitCode, stderr } = await child

  expect(exitCode).toBe(130)
  expect(stderr.match(/failed .*/g)).toEqual([expect.stringContaining('failed with SIGKILL')])
})

test('what svc tail has received by its end is given to the command, also where that fails', async () => {
  await aLife(posts)
  const command = 'touch begun; while [ ! -e go ]; do sleep 0.05; done; exit 3'
  const child = startTail('--exec', command)
  await expect.poll(() => existsSync(join(world.folder, 'begun')), patiently).toBe(true)
  child.kill('SIGINT')
  writeFileSync(join(world.folder, 'go'), '')

  expect((await child).stderr.match(/failed with exit code 3/g)).toHaveLength(3)
})

test('svc tail --forward-to posts each event, and says which were not taken', async () => {
  await aLife(posts)
  const got: unknown[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    const { event } = JSON.parse(text)
    got.push([request.method, request.headers['svc-event'], event])
    response.writeHead(event === 'deleted' ? 500 : 204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`

  const { exit, stderr } = await world.svc(['tail', posts, '--since', '0', '--max', '3', '--forward-to', url])
  server.close()

  expect(got).toEqual(['created', 'updated', 'deleted'].map((event) => ['POST', event, event]))
  expect(exit).toBe(1)
  expect(stderr).toContain(`${url} answered 500`)
})

test('commands of svc tail --exec that take their time all end soon after it, and the rest is counted', async () => {
  const many = Array.from({ length: 30 }, (_, n) => ({ n }))
  await createClient(dev).collection(posts).createMany(many)

  const slow = join(world.folder, 'slow.txt')
  const child = startTail('--exec', 'echo >> slow.txt; sleep 1')
  await expect.poll(() => existsSync(slow) && readFileSync(slow, 'utf8').length, patiently).toBeGreaterThan(1)
  child.kill('SIGINT')
  const { exitCode, stdout, stderr } = await child

  const begun = readFileSync(slow, 'utf8').length
  const left = Number(/^(\d+) events? not delivered/m.exec(stderr)?.[1])
  expect(left).toBeGreaterThan(0)
  expect([exitCode, begun + left]).toEqual([130, many.length])
  expect(stdout.match(/created/g)).toHaveLength(many.length)
})

test.each(['--timeout', 'SIGINT'])('%s ends a tail whose address does not answer', async (end) => {
  await aLife(posts)
  let asked = 0
  const silent = createServer(() => asked++).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/hook`
  const child = startTail('--forward-to', url, ...(end === '--timeout' ? [end, '5s'] : []))
  if (end === 'SIGINT') {
    await once(silent, 'request')
    child.kill('SIGINT')
  }
  const { exitCode, stderr } = await child
  silent.closeAllConnections()
  silent.close()

  expect([exitCode, asked]).toEqual([end === 'SIGINT' ? 130 : 1, 1])
  expect(stderr).toContain(`failed  ${url} did not respond`)
  expect(stderr).toContain('2 events not delivered')
})
