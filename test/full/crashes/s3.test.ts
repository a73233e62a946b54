/** A bucket that answers 503, late, or not at all, and cuts connections, during uploads: no acknowledged one is lost or truncated. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import S3rver from 's3rver'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createClient, type FileUrl, SvcError } from '../../../client/index.js'
import { startEmulator } from '../../../emulator/assembly/dev.js'
import { patiently } from '../../fixtures/patience.js'
import { record } from '../../reliability/ledger.js'
import { scaled } from '../../reliability/scale.js'

type Mood = (req: IncomingMessage, res: ServerResponse, answer: () => void) => unknown

const moods = {
  'answers 503': (_req, res) => res.writeHead(503).end(),
  'answers late': async (_req, _res, answer) => {
    await pause(200)
    answer()
  },
  'cuts the line before it has done anything': (req) => req.socket.destroy(),
  'cuts the line once it has done what was asked': (req, res, answer) => {
    res.writeHead = () => res
    res.end = (() => req.socket.destroy()) as never
    answer()
  },
  'fails every third request': (_req, res, answer) => (++asked % 3 === 0 ? res.writeHead(500).end() : answer()),
} satisfies Record<string, Mood>

const well: Mood = (_req, _res, answer) => answer()
let asked = 0

async function aBucket() {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER')
  const directory = await mkdtemp(join(tmpdir(), 'svc-s3-'))
  const s3 = new S3rver({ directory, silent: true, configureBuckets: [{ name: 'things', configs: [] }] })
  await s3.configureBuckets()
  const answer = s3.callback()
  const state = { mood: well }
  const server = createServer((req, res) => void state.mood(req, res, () => answer(req, res)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await rm(directory, { recursive: true })
    vi.unstubAllEnvs()
  })
  return { filesUrl: `s3://things/files?endpoint=http://127.0.0.1:${port}`, state }
}

const leastPerMood = 6
const writers = 3

it('no file that was acknowledged is lost or half, whatever the bucket does meanwhile', async () => {
  const { filesUrl, state } = await aBucket()
  const emulator = await startEmulator({ memory: true, filesUrl })
  onTestFinished(() => emulator.close())
  const svc = createClient<{ posts: { cover: FileUrl } }>({ ...emulator, retry: { attempts: 1 } })
  await svc.collections.create({ name: 'posts' })
  const posts = svc.collection('posts')
  /** The text that each document must have: the acknowledged one, or one that was tried since. */
  const known = new Map<string, string[]>()
  const unexpected: string[] = []
  const counted = { acknowledged: 0, refused: 0, tried: 0 }
  let isOver = false

  async function tried<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    counted.tried++
    try {
      const result = await work()
      counted.acknowledged++
      return result
    } catch (error) {
      counted.refused++
      if (!(error instanceof SvcError && error.code === 'UNAVAILABLE')) unexpected.push(String(error))
      return undefined
    }
  }

  async function write(writer: number) {
    for (let turn = 0; !isOver; turn++) {
      const text = (what: string) => `${what} ${writer} ${turn} `.repeat(1_000)
      const created = await tried(() => posts.create({ cover: new File([text('first')], 'a.txt') }))
      if (!created) continue
      known.set(created.id, [text('first'), text('second')])
      const changed = await tried(() => posts.update(created.id, { cover: new File([text('second')], 'a.txt') }))
      if (changed) known.set(created.id, [text('second')])
    }
  }

  const writing = Array.from({ length: writers }, (_, writer) => write(writer))
  for (let cycle = 0; cycle < scaled(1, 40); cycle++) {
    for (const [name, mood] of Object.entries<Mood>(moods)) {
      const before = counted.acknowledged
      await expect.poll(() => counted.acknowledged, patiently).toBeGreaterThan(before + leastPerMood)
      const { tried, refused } = counted
      state.mood = mood
      await expect.poll(() => counted.tried, patiently).toBeGreaterThan(tried + leastPerMood)
      if (name !== 'answers late') await expect.poll(() => counted.refused, patiently).toBeGreaterThan(refused)
      state.mood = well
    }
  }
  isOver = true
  await Promise.all(writing)

  const lost: string[] = []
  for (const [id, texts] of known) {
    const { data } = await posts.get(id)
    if (!texts.includes(await (await fetch(data.cover)).text())) lost.push(id)
  }
  const found = { lost: lost.length, unexpected: unexpected.length }
  const what = `a bucket that ${Object.keys(moods).join(', ')}: ${counted.refused} writes refused`
  record({ part: 'crashes', what, engine: 'S3', count: counted.acknowledged, unit: 'writes', found })
  expect({ lost, unexpected }).toEqual({ lost: [], unexpected: [] })
  expect((await svc.files.info()).files).toBe(await posts.count())
})
