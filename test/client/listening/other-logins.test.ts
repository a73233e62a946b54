/** Tests subscriptions when another user signs in, or the user signs out. */
import { afterEach, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type ClientOptions, createClient } from '../../../client/index.js'
import { patiently } from '../../fixtures/patience.js'
import { agreeing, anEvent, type FakeAnswers, fakeRealtime } from '../../fixtures/realtime/fake-realtime.js'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function aService(answers?: FakeAnswers) {
  const service = await fakeRealtime(answers)
  closers.push(() => service.close())
  /** The tokens of `auth`, over all sockets, in order. */
  const askers = () => service.heard.flatMap(({ type, token }) => (type === 'auth' ? [token] : []))
  return { ...service, askers }
}

/** A client as Ada, who has signed in before; `answer` answers its requests, but for streams. */
function clientOf(
  url: string,
  answer: (path: string, token: string | undefined) => object | Promise<object>,
  options: Partial<ClientOptions> = {},
) {
  let stored: string | null = JSON.stringify(login('ada'))
  const client = createClient<{ posts: { title: string }; notes: { title: string } }>({
    ...{ url, apiKey: 'svc_key_x', WebSocket, retry: { delay: 1 }, ...options },
    session: {
      read: () => stored,
      write(text) {
        stored = text
      },
    },
    async fetch(address, init) {
      const { pathname } = new URL(String(address))
      if (pathname.startsWith('/realtime')) return fetch(address, init)
      const token = new Headers(init?.headers).get('authorization')?.replace('Bearer ', '')
      return new Response(JSON.stringify(await answer(pathname, token)))
    },
  })
  return { svc: client, posts: client.collection('posts'), notes: client.collection('notes') }
}

const login = (id: string) => ({ token: id, user: { id, email: `${id}@example.com`, data: {}, updatedAt: 't' } })
const pageOf = (...titles: string[]) => ({
  documents: titles.map((title) => ({
    id: title,
    collection: 'posts',
    data: { title },
    createdAt: 't',
    updatedAt: 't',
  })),
  total: titles.length,
})
const titlesOf = (page: { items: readonly { data: { title: string } }[] } | undefined) =>
  page?.items.map(({ data }) => data.title)

it('a login that is over takes nothing with it, though its connection is told so more than once in one go', async () => {
  const refused = (collection?: unknown) => ({ type: 'error', code: 'UNAUTHORIZED', message: 'Over.', collection })
  let isOver = false
  const service = await aService({
    answer(message) {
      if (!isOver || service.askers().at(-1) !== 'ada') return agreeing(message)
      return message.collection === 'notes' ? [refused(), refused('posts'), refused('notes')] : []
    },
  })
  const { posts, notes } = clientOf(service.url, () => pageOf('Tea'))
  const errors: unknown[] = []
  const titles: string[] = []
  const subscription = posts.subscribe({
    since: 0,
    onChange: ({ document }) => titles.push(document.data.title),
    onError: (error) => errors.push(error),
  })
  const list = notes.live({ onError: (error) => errors.push(error) })
  closers.push(
    () => subscription.close(),
    () => list.close(),
  )
  const isOpen = () => subscription.status === 'open' && list.status === 'open'
  await vi.waitUntil(isOpen, patiently)

  isOver = true
  service.cut()
  await vi.waitUntil(() => service.askers().length === 3 || errors.length > 0, patiently)
  await vi.waitUntil(isOpen, patiently)
  service.tell(anEvent(1, 'After'))
  await vi.waitUntil(() => titles.length > 0, patiently)

  expect(errors).toEqual([])
  expect(service.askers()).toEqual(['ada', 'ada', 'svc_key_x'])
})

it.each(['ws', 'sse'] as const)(
  'over %s a change comes by the rights of the next user, behind the last one of the former',
  async (transport) => {
    const service = await aService()
    const { svc, posts } = clientOf(service.url, () => login('bob'), { transport })
    const received: number[] = []
    const resyncs: number[] = []
    const subscription = posts.subscribe({
      onChange: ({ seq }) => received.push(seq),
      onResync: () => resyncs.push(service.heard.length),
    })
    closers.push(() => subscription.close())
    await subscription.ready
    service.tell(anEvent(7, 'Tea'))
    await vi.waitUntil(() => received.length === 1, patiently)

    await svc.auth.logIn({ email: 'bob@example.com', password: 'x' })
    // Late messages of the former connection are for the former user.
    service.tell(anEvent(8, 'Secret'))
    const asked = () => [
      ...service.heard.flatMap(({ type, since }) => (type === 'subscribe' ? [since] : [])),
      ...service.asked.map(({ headers }) => headers['last-event-id'] && Number(headers['last-event-id'])),
    ]
    await vi.waitUntil(() => asked().length === 2, patiently)

    expect(asked()).toEqual([undefined, 7])
    expect(received).toEqual([7])
    expect(resyncs).toHaveLength(1)
    const who = transport === 'ws' ? service.askers() : service.asked.map(({ headers }) => headers.authorization)
    expect(who.map((one) => String(one).replace('Bearer ', ''))).toEqual(['ada', 'bob'])
  },
)

it('a list of the next user has what was written before its connection spoke for that user', async () => {
  let isWritten = false
  const service = await aService({
    answer(message) {
      // By the rights of the former user nothing is told of it.
      if (message.token === 'bob') isWritten = true
      return agreeing(message)
    },
  })
  const { svc, posts } = clientOf(service.url, (path, token) => {
    if (path.endsWith('/login')) return login('bob')
    return token === 'bob' ? pageOf('Tea', ...(isWritten ? ['Cake'] : [])) : pageOf('Milk')
  })
  const pages: unknown[] = []
  const list = posts.live({ onPage: (page) => pages.push(titlesOf(page)) })
  closers.push(() => list.close())
  await vi.waitUntil(() => list.status === 'open' && titlesOf(list.page)?.[0] === 'Milk', patiently)

  await svc.auth.logIn({ email: 'bob@example.com', password: 'x' })

  await vi.waitFor(() => expect(titlesOf(list.page)).toEqual(['Tea', 'Cake']), patiently)
})

it('a page that was asked for by the former user is not handed over after the next one has signed in', async () => {
  const service = await aService()
  let answerAda = (_: object) => {}
  const { svc, posts } = clientOf(service.url, (path, token) => {
    if (path.endsWith('/login')) return login('bob')
    if (token === 'bob') return pageOf('Tea')
    return new Promise<object>((resolve) => {
      answerAda = resolve
    })
  })
  const pages: unknown[] = []
  const list = posts.live({ onPage: (page) => pages.push(titlesOf(page)) })
  closers.push(() => list.close())
  await vi.waitUntil(() => list.status === 'open', patiently)

  await svc.auth.logIn({ email: 'bob@example.com', password: 'x' })
  answerAda(pageOf('Secret'))

  await vi.waitUntil(() => titlesOf(list.page)?.[0] === 'Tea', patiently)
  expect(pages.flat()).not.toContain('Secret')
})
