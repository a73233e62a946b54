import { expect, test } from 'vitest'
import { type Axis, axisNames, listForms } from '../../../client/protocol/wire/axes.js'
import { openEvents } from '../../fixtures/realtime/streams.js'
import { type Api, aProject, apiOf, service } from '../../fixtures/service.js'
import { expectStatus } from '../../fixtures/wires.js'

interface Caller {
  readonly api: Api
  readonly headers: Readonly<Record<string, string>>
  /** A document of the collection `posts`. */
  readonly id: string
}

const documents = '/collections/posts/documents'

/** A reply that differs in each form of the axis. The compiler asks for one of each axis. */
const shownBy: { readonly [Name in Axis]: (caller: Caller) => Promise<string> } = {
  paths: async ({ api }) => (await api.get('/collections/posts')).text,
  document: async ({ api, id }) => (await api.get(`${documents}/${id}`)).text,
  body: async ({ api }) => (await api.post(documents, { data: { title: 'Tea' } })).text,
  record: async ({ api, id }) => (await api.get(`${documents}/${id}`)).text,
  list: async ({ api }) => (await api.get(documents)).text,
  paging: async ({ api }) => (await api.get(documents)).text,
  filters: async ({ api }) =>
    `${await statusOf(api, 'views__no=1')} ${(await api.get(`${documents}?views_gte=1`)).text} ${(await api.get(`${documents}?views_notin=2`)).text}`,
  put: async ({ api, id }) => (await api.put(`${documents}/${id}`, { other: 1 })).text,
  events: firstEvent,
  frames: firstEvent,
  errors: async ({ api }) => (await api.get(`${documents}/nobody`)).text,
  two_factor: async ({ api }) => {
    const account = { email: 'ada@example.com', password: 'Correct4Horse' }
    expectStatus(201, await api.post('/auth-collections/signup', account))
    return (await api.post('/auth-collections/login', account)).text
  },
  users: async ({ api }) => (await api.get('/auth-collections/users')).text,
  session: async ({ api: { dialect } }) => {
    const { apiKey } = await aProject()
    const account = { email: 'ada@example.com', password: 'Correct4Horse' }
    return Object.keys(
      (await apiOf({ 'x-api-key': apiKey }, dialect).post('/auth-collections/signup', account)).body as object,
    ).join()
  },
  acks: async ({ api, id }) => (await api.delete(`${documents}/${id}`)).text,
  populate: async ({ api, id }) => {
    const { body } = await api.post(documents, { author_id: id })
    return (await api.get(`${documents}/${(body as { id: string }).id}?populate=author`)).text
  },
  order: async ({ api }) => {
    await api.post(documents, { views: 2 })
    return (await api.get(`${documents}?sort=views`)).text
  },
  refusals: async ({ api }) => (await api.get(`${documents}?limit=501`)).text,
}

test.each(axisNames())('contract 1 each form of the axis %s shows in what is answered', async (axis) => {
  const shown: string[] = []
  for (const form of listForms(axis)) {
    const { apiKey } = await aProject({ require2fa: true })
    const headers = { 'x-api-key': apiKey, 'svc-dialect': `${axis}=${form}` }
    await apiOf({ 'x-api-key': apiKey }, 'a').post('/collections', { name: 'posts' })
    const created = await apiOf({ 'x-api-key': apiKey }, 'a').post(documents, { views: 1 })
    const { id } = created.body as { id: string }
    const text = await shownBy[axis]({ api: apiOf(headers, `${axis}=${form}`), headers, id })
    shown.push(text.replaceAll(/[\da-f]{8}-[\da-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…'))
  }

  expect(new Set(shown).size, shown.join('\n')).toBe(listForms(axis).length)
})

async function statusOf(api: Api, query: string): Promise<number> {
  return (await api.get(`${documents}?${query}`)).status
}

async function firstEvent({ api, headers }: Caller): Promise<string> {
  const events = await openEvents(service.url, '/realtime/sse/posts', headers)
  await api.post(documents, { title: 'Tea' })
  const [event] = await events.atLeast(1)
  events.close()
  return JSON.stringify(event)
}
