/** The types of a client that `svc types generate` wrote. Nothing here is sent. */
import { describe, expect, expectTypeOf, it } from 'vitest'
import { createClient, type Document, type DocumentChange } from '../../client/index.js'
import type { Customer, Order, Product, Schema } from '../fixtures/types/shop.js'
import * as zod from '../fixtures/types/shop-zod.js'

/** Nothing is sent: a request without an answer would fail after its test. */
const unsent = { url: 'http://127.0.0.1:1', apiKey: 'x', fetch: () => new Promise<Response>(() => undefined) }
const svc = createClient<Schema>(unsent)
const orders = svc.collection('orders')
type Where = NonNullable<NonNullable<Parameters<typeof orders.list>[0]>['where']>
type OrderSort = NonNullable<Parameters<typeof orders.list>[0]>['sort']

describe('generated types', () => {
  it('know collections, fields and values', () => {
    expectTypeOf(orders.get('1')).resolves.toEqualTypeOf<Document<Order>>()
    expectTypeOf(orders.update).toBeCallableWith('1', { paidAt: new Date() })
    // @ts-expect-error: a status is no time
    const time: Parameters<typeof orders.update>[1] = { status: new Date() }
    // @ts-expect-error: no such collection
    svc.collection('order')
    // @ts-expect-error: no such status
    const order: Partial<Order> = { status: 'lost' }
    // @ts-expect-error: a price has a currency
    const product: Partial<Product> = { price: { amount: 1 } }
    expect([order, product, time]).toHaveLength(3)
  })

  it('know filters and their operators', () => {
    const fits: Where[] = [
      { status: { in: ['open', 'paid'] }, 'gift-wrap': true },
      { paidAt: { gte: new Date() }, customer: { isnull: true } },
      { createdAt: { gt: '2026-01-01' }, or: [{ status: 'open' }, { paidAt: null }] },
    ]
    // @ts-expect-error: no such field
    const misspelt: Where = { state: 'open' }
    // @ts-expect-error: no such value
    const mistaken: Where = { status: 'lost' }
    // @ts-expect-error: a boolean is not greater than another
    const misfit: Where = { 'gift-wrap': { gt: true } }
    expect([...fits, misspelt, mistaken, misfit]).toHaveLength(6)
  })

  it('know what may be sorted by and populated', async () => {
    const sorts: OrderSort[] = ['status', '-paidAt', 'createdAt']
    // @ts-expect-error: no such field
    sorts.push('state')
    const list = () => orders.list({ populate: ['customer'], where: { 'customer.name': 'Ada' } })
    type Listed = Awaited<ReturnType<typeof list>>['items'][number]['data']['customer']
    expectTypeOf<Listed>().toExtend<Document<Customer> | string>()
    // @ts-expect-error: a status leads nowhere
    const wrong = () => orders.list({ populate: ['status'] })
    expect([list, wrong]).toHaveLength(2)
  })

  it('know what a change brings', () => {
    const options: NonNullable<Parameters<typeof orders.subscribe>[0]> = {
      where: { status: 'paid' },
      onChange: (change) => expectTypeOf(change).toEqualTypeOf<DocumentChange<Order>>(),
    }
    // @ts-expect-error: no such kind of change
    options.onChange = ({ kind }) => kind === 'renamed'
    // @ts-expect-error: no such field in it
    options.onChange = ({ document }) => document.data.state
    expect(options.where).toEqual({ status: 'paid' })
  })

  it('are the same as zod schemas, which refuse what does not fit', () => {
    expectTypeOf<zod.Schema['orders']>().toEqualTypeOf<Order>()
    expectTypeOf<zod.Schema['products']>().toEqualTypeOf<Product>()
    const product = { title: 'Tea', price: { amount: 2.5, currency: 'CHF' }, stock: { '2026-01-01': 1 }, sku: 'a' }
    expect(zod.schemas.products.safeParse(product).success).toBe(true)
    expect(zod.schemas.products.safeParse({ ...product, price: { amount: 2.5, currency: 'X' } }).success).toBe(false)
  })
})
