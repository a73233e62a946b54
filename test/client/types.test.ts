/** The types of a typed client. Nothing here is sent. */
import { describe, expectTypeOf, it } from 'vitest'
import { WebSocket } from 'ws'
import { aggregate, type Group, groupBy, upsert } from '../../client/extensions.js'
import {
  type AppUser,
  createClient,
  type DateTime,
  type Defaults,
  type Document,
  type DocumentChange,
  type FileUrl,
  type Link,
  type SocketConstructor,
  type Subscription,
} from '../../client/index.js'
import type { Operator } from '../../client/protocol/model/where.js'
import type { Condition } from '../../client/types.js'

/** The keys of any part of a union. */
type KeysOf<Value> = Value extends object ? keyof Value : never

interface Company {
  name: string
  since?: DateTime
}
interface Author {
  name: string
  role: 'admin' | 'writer'
  company: Link<'companies'>
}
interface Post {
  title: string
  views?: number
  featured: boolean
  tags: string[]
  author: Link<'authors'>
  reviewers: Link<'authors'>[]
  editor?: Link<'authors'> | null
  place: { city: string; at: { lat: number } }
  owner?: Link<'users'> | null
  publishedAt?: DateTime | null
  visits?: { at: DateTime }[]
  cover?: FileUrl | null
  pictures?: FileUrl[]
  extra?: unknown
}
interface Order {
  lines: { product: Link<'products'>; amount: number }[]
  address: { city: string; country?: { ruler: Link<'authors'> | null } }
  notes?: unknown
}
interface Product {
  name: string
  maker: Link<'companies'>
}
type Blog = { posts: Post; authors: Author; companies: Company; orders: Order; products: Product }

/** Nothing is sent: a request without an answer would fail after its test. */
const unsent = { url: 'http://127.0.0.1:1', apiKey: 'x', fetch: () => new Promise<Response>(() => undefined) }
const svc = createClient<Blog>(unsent)
const posts = svc.collection('posts')
type ListOptions = NonNullable<Parameters<typeof posts.list>[0]>
type Where = NonNullable<ListOptions['where']>

describe('a typed client', () => {
  it('knows collections and fields', () => {
    expectTypeOf(svc.collection).toBeCallableWith('authors')
    expectTypeOf(posts.get('1')).resolves.toEqualTypeOf<Document<Post>>()
    expectTypeOf<Post>().toExtend<Parameters<typeof posts.create>[0]>()
    // @ts-expect-error: no such collection
    svc.collection('pots')
  })

  it('takes files where a field holds their addresses, in one document, not in many: a batch is sent as JSON', () => {
    const file = new Blob(['x'])
    expectTypeOf(posts.update).toBeCallableWith('1', { cover: file, pictures: [file], $append: { tags: 'new' } })
    expectTypeOf(posts.updateMany).toBeCallableWith({ 1: { cover: '/a', $append: { tags: 'new' } } })
    type Change = Parameters<typeof posts.update>[1]
    type Changes = Parameters<typeof posts.updateMany>[0]
    // @ts-expect-error: a title is no file
    const title: Change = { title: file }
    // @ts-expect-error: a link is no file
    const link: Change = { author: file }
    // @ts-expect-error: tags are no files
    const tags: Change = { tags: [file] }
    // @ts-expect-error: a batch takes no files
    const many: Changes = { 1: { cover: file } }
    expectTypeOf([title, link, tags, many]).toBeArray()
  })

  it('leaves fields with a default out of new documents, and reads them', () => {
    interface Card extends Defaults<'state' | 'since'> {
      title: string
      state: 'open' | 'done'
      since: DateTime
    }
    const cards = createClient<{ cards: Card }>(unsent).collection('cards')

    expectTypeOf(cards.create).toBeCallableWith({ title: 'a' })
    expectTypeOf(cards.create).toBeCallableWith({ title: 'a', state: 'done', since: new Date() })
    expectTypeOf(cards.createMany).toBeCallableWith([{ title: 'a' }])
    expectTypeOf(cards.get('1')).resolves.toEqualTypeOf<Document<Card>>()
    const colors: Record<Card['state'], string> = { open: 'red', done: 'green' }
    expectTypeOf(async () => colors[(await cards.get('1')).data.state]).returns.resolves.toBeString()
    const where: NonNullable<Parameters<typeof cards.list>[0]>['where'] = { state: { in: ['open'] } }
    // @ts-expect-error: no such state
    const wrong: Parameters<typeof cards.create>[0] = { title: 'a', state: 'lost' }
    // @ts-expect-error: a title has no default
    const untitled: Parameters<typeof cards.create>[0] = { state: 'open' }
    expectTypeOf([where, wrong, untitled]).toBeArray()
  })

  it('takes a Date where a field holds a time, at any depth, and reads it as text', () => {
    const now = new Date()
    const change = { publishedAt: now, visits: [{ at: now }, { at: '2026-01-01' }], $append: { visits: { at: now } } }
    expectTypeOf(posts.update).toBeCallableWith('1', change)
    expectTypeOf(posts.updateMany).toBeCallableWith({ 1: change })
    expectTypeOf(svc.collection('companies').createMany).toBeCallableWith([{ name: 'Ada', since: now }])
    expectTypeOf<Document<Post>['data']['publishedAt']>().toEqualTypeOf<DateTime | null | undefined>()
    // @ts-expect-error: a title is no time
    const title: Parameters<typeof posts.update>[1] = { title: now }
    // @ts-expect-error: a batch takes a time where one is held
    const many: Parameters<typeof posts.updateMany>[0] = { 1: { title: now } }
    expectTypeOf([title, many]).toBeArray()
  })

  it('takes filters that fit a field', () => {
    const fits: Where[] = [
      { title: 'Tea', views: { gte: 100, lt: 200 }, featured: true },
      { title: { contains: 'ea' }, tags: 'news', 'place.city': { in: ['Bern', 'Basel'] }, 'place.at.lat': { gt: 46 } },
      { title: { icontains: 'ea', gt: new Date() }, createdAt: new Date(), updatedAt: { in: [new Date()] } },
      { createdAt: { gte: '2026-01-01' }, or: [{ featured: true }, { views: { isnull: true } }] },
      { all: [{ any: [{ path: ['title'], operator: 'eq', value: 'Tea' }] }] },
    ]
    expectTypeOf(fits).toEqualTypeOf<Where[]>()
    // @ts-expect-error: no such field
    const misspelt: Where = { titel: 'Tea' }
    // @ts-expect-error: a number has no prefix
    const misfit: Where = { views: { startswith: '1' } }
    // @ts-expect-error: a number is not compared with a text
    const mistyped: Where = { views: { gte: '100' } }
    // @ts-expect-error: a number is not compared with a time
    const misdated: Where = { views: { gte: new Date() } }
    // @ts-expect-error: a role is no time
    const role: NonNullable<Parameters<ReturnType<typeof authors>['list']>[0]>['where'] = { role: new Date() }
    // @ts-expect-error: a role that does not exist
    const author: NonNullable<Parameters<ReturnType<typeof authors>['list']>[0]>['where'] = { role: 'king' }
    const severalOf: NonNullable<typeof role> = {
      // @ts-expect-error: one of them does not exist
      role: { in: ['admin', 'king'] },
    }
    expectTypeOf<{ role: { in: ('admin' | 'writer')[] } }>().toExtend<NonNullable<typeof role>>()
    expectTypeOf([severalOf, misspelt, misfit, mistyped, misdated, role, author]).toBeArray()
  })

  it('knows what an aggregate is of, and what groups hold', () => {
    const ofPosts = () =>
      aggregate(posts, { sum: 'views', max: 'place.at.lat', count: 'title' }, { where: { title: 'Tea' } })
    expectTypeOf(ofPosts).returns.resolves.toEqualTypeOf<{
      readonly sum: number
      readonly max: number | null
      readonly count: number
    }>()
    const ofRoles = () => groupBy(svc.collection('authors'), 'role', { where: { name: 'Ada' } })
    expectTypeOf(ofRoles).returns.resolves.toEqualTypeOf<Group<'admin' | 'writer'>[]>()
    const linked = () => groupBy(posts, 'title', { populate: ['author'], where: { 'author.name': 'Ada' } })
    expectTypeOf(linked).returns.resolves.toEqualTypeOf<Group<string>[]>()
    const untyped = createClient(unsent).collection('any')
    expectTypeOf(() => aggregate(untyped, { sum: 'any' })).returns.resolves.toEqualTypeOf<{ readonly sum: number }>()
    // @ts-expect-error: a title is no number
    const text = () => aggregate(posts, { sum: 'title' })
    // @ts-expect-error: no such field
    const misspelt = () => groupBy(posts, 'titel')
    // @ts-expect-error: no such operation
    const median = () => aggregate(posts, { median: 'views' })
    // @ts-expect-error: no such field in a filter
    const misfiltered = () => aggregate(posts, { sum: 'views' }, { where: { titel: 'Tea' } })
    expectTypeOf([text, misspelt, median, misfiltered]).toBeArray()
  })

  it('takes the fields of a document for an upsert, and a field of it to find one', () => {
    const authors = svc.collection('authors')
    const ada = { name: 'Ada', role: 'admin', company: 'id' as Link<'companies'> } as const
    const saved = () => upsert(authors, ada, { by: 'name' })
    expectTypeOf(saved).returns.resolves.toEqualTypeOf<Awaited<ReturnType<typeof authors.create>>>()
    // @ts-expect-error: no such field
    const misspelt = () => upsert(authors, ada, { by: 'nam' })
    // @ts-expect-error: names are texts
    const mistyped = () => upsert(authors, { ...ada, name: 1 }, { by: 'name' })
    expectTypeOf([misspelt, mistyped]).toBeArray()
  })

  it('takes every operator on a text', () => {
    const range = { gt: 'a', gte: 'a', lt: 'z', lte: 'z' }
    const parts = { contains: 'a', icontains: 'a', startswith: 'a', endswith: 'a' }
    const ofAll: Where = {
      title: {
        ...range,
        ...parts,
        eq: 'a',
        ne: 'a',
        in: ['a'],
        notin: ['a'],
        isnull: true,
        exists: true,
      } satisfies Record<Operator, unknown>,
    }
    expectTypeOf(ofAll).toExtend<Where>()
    expectTypeOf<Exclude<Operator, KeysOf<Condition<string>>>>().toBeNever()
    // @ts-expect-error: no such operator
    const none: Where = { title: { matches: 'a' } }
    expectTypeOf(none).toExtend<Where>()
  })

  it('looks into linked documents where they are populated', () => {
    const byAuthor = () => posts.list({ where: { 'author.role': 'admin', title: 'Tea' }, populate: ['author'] })
    const byReviewer = () => posts.live({ where: { 'reviewers.name': { contains: 'a' } }, populate: ['reviewers'] })
    const byCompany = () => posts.iterate({ where: { 'author.company.name': 'x' }, populate: ['author.company'] })
    const byEditor = () => posts.count({ where: { 'editor.name': { contains: 'a' } }, populate: ['editor'] })
    expectTypeOf([byAuthor, byReviewer, byCompany, byEditor]).toBeArray()
    // @ts-expect-error: an editor who may be missing is an author all the same
    const misread = () => posts.list({ where: { 'editor.title': 'x' }, populate: ['editor'] })
    // @ts-expect-error: a role that does not exist
    const misfit = () => posts.list({ where: { 'author.role': 'king' }, populate: ['author'] })
    // @ts-expect-error: an author is an id until it is populated
    const unpopulated = () => posts.list({ where: { 'author.role': 'admin' } })
    // @ts-expect-error: an author has no title
    const misspelt = () => posts.list({ where: { 'author.title': 'x' }, populate: ['author'] })
    expectTypeOf([misfit, unpopulated, misspelt, misread]).toBeArray()
  })

  it('knows what may be sorted by', () => {
    const sorts: ListOptions['sort'][] = ['title', '-views', 'place.at.lat', '-createdAt', 'id']
    // @ts-expect-error: no such field
    const missing: ListOptions['sort'] = 'heading'
    expectTypeOf([...sorts, missing]).toBeArray()
  })

  it('knows what populate puts in the place of ids', async () => {
    const populated = () => posts.list({ populate: ['author', 'reviewers', 'author.company'] })
    type Found = Awaited<ReturnType<typeof populated>>['items'][number]['data']

    expectTypeOf<Exclude<Found['author'], string>['data']['name']>().toEqualTypeOf<string>()
    expectTypeOf<
      Exclude<Exclude<Found['author'], string>['data']['company'], string>['data']
    >().toEqualTypeOf<Company>()
    expectTypeOf<Exclude<Found['reviewers'][number], string>['data']['role']>().toEqualTypeOf<'admin' | 'writer'>()
    expectTypeOf<Found['title']>().toEqualTypeOf<string>()
    const owned = () => posts.list({ populate: ['owner'], where: { 'owner.name': 'Ada' } })
    type Owned = Awaited<ReturnType<typeof owned>>['items'][number]['data']['owner']
    expectTypeOf<Exclude<Owned, string | null | undefined>>().toEqualTypeOf<AppUser>()
    // @ts-expect-error: a title links to nothing
    const wrong: Parameters<typeof posts.get>[1] = { populate: ['title'] }
    expectTypeOf(wrong).not.toBeAny()
  })

  it('goes through objects and arrays of objects to a link', () => {
    const orders = svc.collection('orders')
    const populated = () => orders.list({ populate: ['lines.product.maker', 'address.country.ruler'] })
    type Found = Awaited<ReturnType<typeof populated>>['items'][number]['data']
    type ProductFound = Exclude<Found['lines'][number]['product'], string>

    expectTypeOf<ProductFound['data']['name']>().toEqualTypeOf<string>()
    expectTypeOf<Exclude<ProductFound['data']['maker'], string>['data']>().toEqualTypeOf<Company>()
    expectTypeOf<Found['lines'][number]['amount']>().toEqualTypeOf<number>()
    expectTypeOf<Found['address']['city']>().toEqualTypeOf<string>()
    type Ruler = NonNullable<Found['address']['country']>['ruler']
    expectTypeOf<Exclude<Ruler, string | null>['data']['name']>().toEqualTypeOf<string>()
    expectTypeOf<Extract<Ruler, null>>().toEqualTypeOf<null>()
    const byProduct = () => orders.list({ where: { 'lines.product.name': 'Tea' }, populate: ['lines.product'] })
    // @ts-expect-error: an amount links to nothing
    const wrong: Parameters<typeof orders.get>[1] = { populate: ['lines.amount'] }
    // @ts-expect-error: a product has no title
    const misspelt = () => orders.list({ where: { 'lines.product.title': 'x' }, populate: ['lines.product'] })
    expectTypeOf([populated, byProduct, misspelt, () => wrong]).toBeArray()
  })

  it('takes items of arrays to append and remove', () => {
    const changes: Parameters<typeof posts.update>[1][] = [
      { views: 3 },
      { $append: { tags: 'new' }, $remove: { tags: ['old'] } },
    ]
    expectTypeOf(posts.append).toBeCallableWith('1', { tags: ['new'], reviewers: 'id', extra: 1 })
    // @ts-expect-error: tags are texts
    const wrong: Parameters<typeof posts.update>[1] = { $append: { tags: 3 } }
    // @ts-expect-error: a title is no array
    const title: Parameters<typeof posts.append>[1] = { title: 'x' }
    // @ts-expect-error: views are no array
    const views: Parameters<typeof posts.remove>[1] = { views: 1 }
    expectTypeOf([...changes, wrong, title, views]).toBeArray()
  })

  it('knows what a subscription tells, and a live list shows', () => {
    expectTypeOf(posts.subscribe).returns.toEqualTypeOf<Subscription<Post>>()
    expectTypeOf<Subscription<Post>>().toExtend<AsyncIterable<DocumentChange<Post>>>()
    expectTypeOf<DocumentChange<Post>['document']>().toEqualTypeOf<Document<Post>>()
    const live = () => posts.live({ populate: ['author'], sort: '-views' })
    type Item = NonNullable<ReturnType<typeof live>['page']>['items'][number]
    expectTypeOf<Exclude<Item['data']['author'], string>['data']['name']>().toEqualTypeOf<string>()
    // @ts-expect-error: no such field
    const misspelt: Parameters<typeof posts.subscribe>[0] = { where: { titel: 'Tea' } }
    expectTypeOf(misspelt).not.toBeAny()
  })

  it('takes the address and roles of users in filters, and what a provider sends back', () => {
    type UserWhere = NonNullable<NonNullable<Parameters<typeof app.users.list>[0]>['where']>
    const app = createClient<Blog, { age: number }>(unsent)
    const google = app.auth.provider('google')
    expectTypeOf<{ email: string; roles: 'admin'; age: { gt: number } }>().toExtend<UserWhere>()
    expectTypeOf(google.url).toBeCallableWith({})
    expectTypeOf(google.callback).toBeCallableWith({ code: 'c', state: 's', iss: 'https://accounts.example' })
  })

  it('takes the WebSocket of the platform, and that of ws', () => {
    expectTypeOf(globalThis.WebSocket).toExtend<SocketConstructor>()
    expectTypeOf(WebSocket).toExtend<SocketConstructor>()
  })

  it('needs no schema', () => {
    const open = createClient(unsent).collection('anything')
    expectTypeOf(open.list).toBeCallableWith({ where: { a: 1, 'b.c': { gte: 2 } }, sort: '-a', populate: ['b'] })
    expectTypeOf(open.create).toBeCallableWith({ a: [1, { b: null }], at: new Date(), file: new Blob(['x']) })
    expectTypeOf(open.append).toBeCallableWith('1', { a: 1 })
  })
})

const authors = () => svc.collection('authors')
