/** A form and an axis that are added to their tables: all that derives from the registry supports them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { detectForms } from '../../cli/dialects/detect-forms.js'
import { axes, listForms } from '../../client/protocol/wire/axes.js'
import { dialects, formatDialect, parseDialect } from '../../client/protocol/wire/dialects.js'
import { object, text } from '../../client/protocol/wire/json-schema.js'
import { type Emulator, startEmulator } from '../../emulator/assembly/dev.js'

const boxed = {
  ...axes.document.snake,
  schema: object({ box: object({ id: text }) }),
  encode: ({ id }: { id: string }) => ({ box: { id } }),
}
const greeting = { plain: { text: 'hello' }, loud: { text: 'HELLO' } }

let emulator: Emulator

beforeAll(async () => {
  Object.assign(axes.document, { boxed })
  Object.assign(axes, { greeting })
  for (const dialect of Object.values(dialects)) Object.assign(dialect, { greeting: 'plain' })
  emulator = await startEmulator({ memory: true })
  await ask('/collections', { name: 'posts' })
  await ask('/collections/posts', { title: 'Tea' })
})
afterAll(() => emulator.close())

async function ask(path: string, body?: object, dialect = 'a') {
  const answer = await fetch(`${emulator.url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'x-api-key': emulator.apiKey, 'content-type': 'application/json', 'svc-dialect': dialect },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return { status: answer.status, spoken: answer.headers.get('svc-dialect'), body: await answer.json() }
}

test('contract 1 the header takes a new form and a new axis, and answers say them', async () => {
  const answer = await ask('/collections/posts/documents', undefined, 'a, document=boxed, greeting=loud')

  expect(answer).toMatchObject({ status: 200, spoken: 'a, document=boxed, greeting=loud' })
  expect(answer.body.documents).toEqual([{ box: { id: expect.any(String) } }])
})

test('contract 1 the query of a stream takes them', async () => {
  const stop = new AbortController()
  const { status } = await fetch(`${emulator.url}/realtime/sse/posts?dialect=document=boxed,greeting=loud`, {
    headers: { 'x-api-key': emulator.apiKey },
    signal: stop.signal,
  })
  stop.abort()

  expect(status).toBe(200)
})

test('contract 1 errors name them among the choices', async () => {
  const words = async (dialect: string) => (await ask('/collections', undefined, dialect)).body.error.message

  expect(await words('document=nope')).toContain('Known: enveloped, snake, deployed, flat, boxed.')
  expect(await words('greeting=nope')).toContain('Known: plain, loud.')
  expect(await words('nope=nope')).toMatch(/refusals, greeting\.$/)
})

test('the description of the API has the schema of the form, and names both', async () => {
  const { body } = await ask('/openapi.json', undefined, 'document=boxed')
  const { parameters, responses } = body.paths['/collections/{collection}/{id}'].get
  const { description } = parameters.find(({ name }: { name: string }) => name === 'svc-dialect')

  expect(responses[200].content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Document' })
  expect(body.components.schemas.Document).toEqual(boxed.schema)
  expect(description).toContain('document (enveloped, snake, deployed, flat, boxed)')
  expect(description).toContain('greeting (plain, loud)')
})

test('contract 1 detection reads them in the header', async () => {
  const { apiKey } = await (
    await fetch(`${emulator.url}/_svc/api/projects`, {
      method: 'POST',
      headers: { 'svc-control-token': emulator.controlToken, 'content-type': 'application/json' },
      body: JSON.stringify({ settings: { dialect: 'a, document=boxed, greeting=loud' } }),
    })
  ).json()

  const findings = await detectForms({ url: emulator.url, key: apiKey })

  const evidence = 'svc-dialect: a, document=boxed, greeting=loud'
  expect(findings).toContainEqual({ axis: 'document', form: 'boxed', evidence })
  expect(findings).toContainEqual({ axis: 'greeting', form: 'loud', evidence })
})

test('a dialect with them is written as text and read back', () => {
  const dialect = parseDialect('b, document=boxed, greeting=loud')

  expect(parseDialect(formatDialect(dialect))).toEqual(dialect)
  expect(listForms('document')).toContain('boxed')
})
