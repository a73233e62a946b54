import { describe, expect, it } from 'vitest'
import { createClient } from '../index.js'
import { formatClientCode } from './client-code.js'

const url = 'http://127.0.0.1:1'

/** Runs the code with a client of that dialect, and answers what it has sent. */
async function sentBy(code: string, dialect: string) {
  let sent: { method: string; path: string; headers: Record<string, string>; text: string | null } | undefined
  const svc = createClient({
    ...{ url, apiKey: 'svc_key_x', dialect, retry: { attempts: 1 } },
    fetch: async (input, init) => {
      const { pathname, search } = new URL(String(input))
      const headers = Object.fromEntries(new Headers(init?.headers))
      sent = {
        method: init?.method ?? 'GET',
        path: pathname + search,
        headers,
        text: init?.body ? String(init.body) : null,
      }
      return new Response('{}', { status: 400 })
    },
  })
  await new Function('svc', `return (async () => { ${code} })()`)(svc).catch(() => undefined)
  if (!sent) throw new Error(`Nothing was sent by ${code}`)
  return sent
}

const calls: readonly (readonly [route: string, code: string])[] = [
  ['documents.list', "const { items } = await svc.collection('posts').list()"],
  [
    'documents.list',
    "const { items } = await svc.collection('posts').list({\n  where: { 'place.city': 'Bern', views: { gte: 100, lt: 200 }, status: { in: ['open', 'paid'] } },\n  sort: '-views',\n  limit: 10,\n  offset: 20,\n  count: false,\n  populate: ['author'],\n})",
  ],
  ['documents.get', "const document = await svc.collection('posts').get('x1', { populate: ['author'] })"],
  ['documents.createIn', "const document = await svc.collection('posts').create({ title: 'It\\'s', tags: [] })"],
  ['documents.put', "const document = await svc.collection('posts').replace('x1', { title: 'A' }, { ifMatch: 3 })"],
  [
    'documents.update',
    "const document = await svc.collection('posts').update('x1', { title: 'A', $append: { tags: 'new' } })",
  ],
  ['documents.remove', "await svc.collection('posts').delete('x1')"],
  ['batches.create', "const documents = await svc.collection('posts').createMany([{ title: 'A' }, { title: 'B' }])"],
  ['batches.remove', "await svc.collection('posts').deleteMany(['x1', 'x2'])"],
  ['collections.list', 'const collections = await svc.collections.list()'],
  ['collections.get', "const collection = await svc.collections.get('posts')"],
  ['collections.create', "const collection = await svc.collections.create({ name: 'posts' })"],
  ['collections.update', "const collection = await svc.collections.update('posts', { name: 'news' })"],
  ['collections.remove', "await svc.collections.delete('posts')"],
]

const body = { type: 'application/json', bytes: 1, isCut: false, isMasked: false, leftOut: null }

describe.each(['a', 'b', 'c'])('a request in dialect %s as code of the client', (dialect) => {
  it.each(calls)('%s: %s', async (route, code) => {
    const { method, path, headers, text } = await sentBy(code, dialect)

    const request = { headers, body: { ...body, text } }
    expect(formatClientCode({ method, path, route, dialect, request }, url)).toBe(code)
  })
})

it('writes what the client has no call for, and what cannot be read, as fetch', () => {
  const headers = { 'x-api-key': '[masked]', 'content-type': 'application/json' }
  const request = { headers, body: { ...body, text: '{"a":1}' } }
  const asked = { method: 'POST', path: '/storage/any', route: 'storage.any', dialect: 'a', request }
  expect(formatClientCode(asked, url)).toBe(
    "const answer = await fetch('http://127.0.0.1:1/storage/any', {\n  method: 'POST',\n  headers: { 'x-api-key': process.env.SVC_API_KEY, 'content-type': 'application/json' },\n  body: '{\"a\":1}',\n})",
  )
  expect(
    formatClientCode({ ...asked, route: 'documents.list', path: '/collections/posts?views__gtee=1' }, url),
  ).toContain('fetch(')
})
