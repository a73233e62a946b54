/** Tests the warnings of the client in development, and how they load. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import * as development from '../../client/development.js'
import * as production from '../../client/index.js'

// Both have one type: an app is checked against production's.
const createClient: typeof production.createClient = development.createClient

const document = { id: 'd1', data: { title: 'Tea' }, createdAt: 't', updatedAt: 't' }
const user = { id: 'u1', email: 'a@example.com', data: {} }

interface Listed {
  readonly documents?: readonly object[]
  readonly users?: readonly object[]
  readonly total?: number
  readonly dialect?: string
}

/** A client whose every list is this one, and whose streams send nothing. */
function clientOf({ documents = [], users = [], total = 0, dialect = 'a' }: Listed = {}) {
  const page = { documents, users, total, limit: 20, offset: 0 }
  const body = JSON.stringify(dialect === 'b' ? documents : dialect === 'c' ? { success: true, data: page } : page)
  return createClient({
    url: 'http://service.test',
    dialect,
    fetch: async (url) => {
      if (!String(url).includes('/realtime/'))
        return new Response(body, { headers: { 'x-total-count': String(total) } })
      return new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } })
    },
    transport: 'sse',
  })
}

/** Filters as no type allows them. */
const where = (filter: object) => ({ where: filter as never })

const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
const words = () => warned.mock.calls.map(([text]) => String(text))

beforeEach(() => {
  warned.mockClear()
})

const hint =
  'svc: No match in "posts". "views_gte" is read as the name of a field. To compare "views", write where: { "views": { gte: … } }.'

type Svc = ReturnType<typeof clientOf>

/** Every call that lists documents. */
const lists: Readonly<Record<string, (svc: Svc, filter: object) => Promise<unknown>>> = {
  list: (svc, filter) => svc.collection('posts').list(where(filter)),
  count: (svc, filter) => svc.collection('posts').count(where(filter)),
  iterate: async (svc, filter) => {
    for await (const { id } of svc.collection('posts').iterate(where(filter))) return id
  },
  live: (svc, filter) =>
    new Promise((resolve) => {
      const live = svc.collection('posts').live({
        ...where(filter),
        onPage: (page) => {
          live.close()
          resolve(page)
        },
      })
    }),
}

describe.each(Object.entries(lists))('59 in development, %s', (_, list) => {
  it('says what to write instead of a suffix, once', async () => {
    const svc = clientOf()

    await list(svc, { views_gte: 100 })
    await list(svc, { views_gte: 200 })

    expect(words()).toEqual([hint])
  })

  it('says nothing where something was found', async () => {
    await list(clientOf({ documents: [document], total: 1 }), { views_gte: 100 })

    expect(words()).toEqual([])
  })

  it('says nothing of other names', async () => {
    await list(clientOf(), { gte: 1, _gte: 1, views: { gte: 1 }, viewsgte: 1, created_at: 't', views_most: 1 })

    expect(words()).toEqual([])
  })
})

describe('59 in development', () => {
  it.each([
    ['a', 'views_gte', 'views', 'gte'],
    ['a', 'author.name_icontains', 'author.name', 'icontains'],
    ['b', 'views__gte', 'views', 'gte'],
    ['b', 'status__notin', 'status', 'notin'],
    ['c', 'sold_out_eq', 'sold_out', 'eq'],
  ])('a suffix is suggested in dialect %s: %s', async (dialect, name, field, operator) => {
    await clientOf({ dialect })
      .collection('posts')
      .list(where({ [name]: 1 }))

    expect(words()).toEqual([
      `svc: No match in "posts". "${name}" is read as the name of a field. To compare "${field}", write where: { "${field}": { ${operator}: … } }.`,
    ])
  })

  it('each field and each collection is warned of by itself, alternatives among them', async () => {
    const svc = clientOf()

    await svc.collection('posts').list(where({ or: [{ views_gte: 1 }, { likes_lt: 1 }] }))
    await svc.collection('letters').list(where({ views_gte: 1 }))
    await svc.users.list(where({ age_gt: 18 }))

    expect(words().map((text) => /in "(\w+)"\. "(\w+)" is read/.exec(text)?.slice(1))).toEqual([
      ['posts', 'views_gte'],
      ['posts', 'likes_lt'],
      ['letters', 'views_gte'],
      ['users', 'age_gt'],
    ])
  })

  it('a page behind the last is no sign, nor is a user that was found', async () => {
    await clientOf({ total: 3 })
      .collection('posts')
      .list({ ...where({ views_gte: 1 }), offset: 20 })
    await clientOf({ users: [user], total: 1 }).users.list(where({ age_gt: 18 }))

    expect(words()).toEqual([])
  })

  it('everything else is as in production', async () => {
    const [one, other] = [clientOf(), production.createClient({ url: 'http://service.test' })]

    expect(Object.keys(development).sort()).toEqual(Object.keys(production).sort())
    expect(development.SvcError).toBe(production.SvcError)
    expect(Object.keys(one).sort()).toEqual(Object.keys(other).sort())
    expect(Object.keys(one.collection('x')).sort()).toEqual(Object.keys(other.collection('x')).sort())
  })
})
