/** The fuzzed service, a project with one of everything in it, and what must be true of every answer. */
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { Emulator } from '../../../emulator/assembly/dev.js'
import { mostMilliseconds } from '../../fixtures/patience.js'
import { fileOf, formOf } from '../../fixtures/requests/form.js'
import { type Answer, send } from '../../fixtures/requests/http.js'
import { checkAgainstDescription } from '../../fixtures/requests/openapi.js'
import type { Shot } from './shots.js'

/** The values of `@name` in a shot. */
export type World = Readonly<Record<string, string>>

export async function aWorld({ url, controlToken }: Emulator): Promise<World> {
  const ask = async (path: string, headers: Record<string, string>, body: unknown) => {
    const form = body as { headers?: Record<string, string>; body?: Buffer }
    const [type, bytes] = Buffer.isBuffer(form.body)
      ? [form.headers ?? {}, form.body]
      : [{ 'content-type': 'application/json' }, JSON.stringify(body)]
    const answer = await send(url, { method: 'POST', path, headers: { ...headers, ...type }, body: bytes })
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.body as Record<string, string>
  }
  const email = `${randomUUID()}@example.com`
  const made = await ask('/_svc/api/projects', { 'svc-control-token': controlToken }, { name: 'fuzz' })
  const { id: project = '', apiKey: key = '', secretKey: secret = '' } = made
  const owner = { 'x-api-key': secret }
  await ask('/collections', owner, { name: 'posts', schema: { n: { type: 'number' } } })
  const { id: user = '', token = '' } = await ask('/auth-collections/signup', owner, {
    email,
    password: 'Correct4Horse',
  })
  const { id: document = '' } = await ask('/collections/posts', owner, { n: 1, title: 'a', tags: ['x'], link: user })
  const { id: file = '' } = await ask('/storage/upload', owner, formOf(fileOf('file')))
  return { project, key, secret, user, token, document, file, email, collection: 'posts', control: controlToken }
}

function placed(text: string, world: World): string {
  return text.replaceAll(/@([a-z]+)/g, (whole, name: string) => world[name] ?? (name === 'nothing' ? 'nothing' : whole))
}

/** The path of the sources, which no answer reveals. */
const root = fileURLToPath(new URL('../../..', import.meta.url))

const agent = new Agent({ keepAlive: true, maxSockets: 20 })

/** The answer; of a stream, only its head. Nothing where the connection was closed, as for a request that is no HTTP. */
export function shoot(url: string, shot: Shot, world: World): Promise<Answer | undefined> {
  const { hostname, port } = new URL(url)
  const body = typeof shot.body === 'string' ? placed(shot.body, world) : shot.body
  const headers = Object.fromEntries(Object.entries(shot.headers).map(([name, text]) => [name, placed(text, world)]))
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const target = { hostname, port, agent, method: shot.method, path: placed(shot.path, world) }
    const outgoing = request({ ...target, headers: { ...length, ...headers } }, (incoming) => {
      const chunks: Buffer[] = []
      const { statusCode: status = 0, headers } = incoming
      const end = () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status, headers: headers as Answer['headers'], text, body: parsed(text) })
      }
      incoming
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', end)
        .on('error', end)
      if (!headers['content-type']?.startsWith('text/event-stream')) return
      end()
      outgoing.destroy()
    })
    outgoing.setTimeout(mostMilliseconds, () => reject(new Error(`${shot.method} ${shot.path.slice(0, 200)} hangs.`)))
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (['ECONNRESET', 'EPIPE'].includes(error.code ?? '')) resolve(undefined)
      else reject(error)
    })
    outgoing.end(body)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** No internal error, no internals in the text, and the form that the description names. */
export async function judge(url: string, shot: Shot, answer: Answer): Promise<void> {
  const { status, headers, text } = answer
  const what = `${shot.operation}: ${shot.method} ${shot.path.slice(0, 200)} → ${status} ${text.slice(0, 300)}`
  if (status >= 500)
    expect({ status, code: headers['svc-error-code'] }, what).toEqual({ status: 503, code: 'UNAVAILABLE' })
  expect(text.slice(0, 2_000), what).not.toMatch(/\bat .*\.[jt]s:\d|pglite|insert into /i)
  expect(text, what).not.toContain(root)
  if (!headers['content-type']?.startsWith('application/json') || shot.method === 'HEAD' || status === 304) return
  if (status >= 400) expect(headers['svc-error-code'], what).toMatch(/^[A-Z0-9_]+$/)
  const asked = { method: shot.method, path: shot.path, dialect: headers['svc-dialect'] ?? '' }
  await checkAgainstDescription(url, asked, answer)
}
