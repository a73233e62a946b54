/** Tests the command that svc requests show prints to repeat a request: it does the same, or says what it lacks. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endsByItself } from '../../fixtures/patience.js'
import { cleanEnv, type Dev, openWorld, type World } from '../command-line.js'

let world: World
let dev: Dev

beforeAll(async () => {
  world = await openWorld()
  dev = await world.dev('--memory')
  await world.svc(['collections', 'create', 'posts'])
  for (const status of ['draft', 'open', 'done']) await world.svc(['docs', 'create', 'posts', `status=${status}`])
})
afterAll(() => world.close())

/** Sends it, and answers how `--format` prints it. */
async function printed(format: 'curl' | 'client', method: string, path: string, body?: string | FormData) {
  const type: Record<string, string> = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
  const answer = await fetch(dev.url + path, { method, headers: { 'x-api-key': dev.apiKey, ...type }, body })
  await answer.text()
  const id = answer.headers.get('x-request-id') ?? ''
  return (await world.svc(['requests', 'show', id, '--format', format])).stdout
}

/** Runs a curl command in the folder, and answers its output; it ends by itself. */
async function run(command: string) {
  const script = `curl() { command curl -sS --max-time 60 "$@"; }\nexport SVC_API_KEY=${dev.apiKey}\n${command}`
  const options = { cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false }
  return (await execa('sh', ['-eu', '-c', script], { ...options, ...endsByItself })).stdout
}

// Not every machine has curl.
const { failed: lacksCurl } = await execa('curl', ['--version'], { reject: false })

describe.skipIf(lacksCurl)('--format curl', () => {
  test('brackets and braces of an address are no patterns', async () => {
    const some = await run(await printed('curl', 'GET', '/collections/posts?[or]status=draft&[or]status=open'))
    const none = await run(await printed('curl', 'GET', '/collections/posts?status={draft,open}'))

    expect(JSON.parse(some).total).toBe(2)
    expect(JSON.parse(none).total).toBe(0)
  })

  test('HEAD waits for no body', async () => {
    expect(await run(await printed('curl', 'HEAD', '/collections/posts'))).toMatch(/^HTTP\/1.1 200/)
  })

  test('a body of which a part is kept is taken from a file', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(100_000) })

    const command = await printed('curl', 'POST', '/collections/posts', body)
    writeFileSync(join(world.folder, 'body'), body)

    expect(command).toMatch(/^# The recorded body is incomplete: save it to a file named body\.\ncurl -X POST /)
    expect(JSON.parse(await run(command)).data).toEqual(JSON.parse(body))
  })
})

test('what is not kept, or masked, is said in front', async () => {
  const form = new FormData()
  form.append('data', '{"title":"Hi"}')
  form.append('cover', new Blob(['x']), 'cover.png')
  const secret = JSON.stringify({ title: 'Hi', apiKey: 'abc' })

  const cut = await printed('client', 'POST', '/collections/posts', JSON.stringify({ text: 'x'.repeat(100_000) }))
  const ofForm = await printed('curl', 'POST', '/collections/posts', form)
  const masked = await Promise.all(
    (['curl', 'client'] as const).map((format) => printed(format, 'POST', '/collections/posts', secret)),
  )
  const address = await printed('curl', 'GET', '/collections/posts?token=abc')

  expect(cut).toMatch(/^\/\/ The recorded body is incomplete: define it as body\.\nconst answer = await fetch\(/)
  expect(cut).toContain('\n  body,\n})')
  expect(ofForm).toMatch(/^# The recorded body is incomplete/)
  expect(ofForm).toContain('--data-binary @body')
  for (const text of masked) {
    expect(text).toMatch(/^(#|\/\/) The body contains a masked secret\. Fill it in\.\n/)
    expect(text).toContain('[masked]')
  }
  expect(address).toMatch(/^# The URL contains a masked secret\. Fill it in\.\n/)
})
