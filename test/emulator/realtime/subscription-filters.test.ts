/** Which changes a filter on a document's own times matches, and what a connection does while it replays. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { createCollection } from '../../../emulator/core/collections/collections.js'
import type { Context } from '../../../emulator/core/context.js'
import {
  createDocument,
  createDocuments,
  removeDocument,
  replaceDocument,
} from '../../../emulator/core/documents/door.js'
import { identifyText } from '../../../emulator/core/logins/credentials.js'
import { unitFor } from '../../../emulator/core/unit-of-work.js'
import { engines } from '../../fixtures/databases/engines.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'
import { openAuthenticated } from '../../fixtures/realtime/streams.js'

let server: Databases
beforeAll(async () => {
  server = await openDatabases()
})
afterAll(() => server.stop())

describe.each(engines)('on %s', (engine) => {
  let service: Service
  let ctx: Context
  beforeAll(async () => {
    const databaseUrl = engine === 'postgres' ? await server.newDatabase() : undefined
    service = await openService({ ...defaultConfig, memory: true, databaseUrl, dialect: 'a, frames=model' })
    ctx = { ...(await identifyText(service.backend, service.apiKey)), ...unitFor(service.backend) }
  })
  afterAll(() => service.close())

  async function aSocket(collection: string, filters: object, since?: number) {
    const socket = await openAuthenticated(service.url, service.apiKey)
    socket.say({ type: 'subscribe', collection, filters, live: true, since })
    await socket.atLeast(2)
    return socket
  }
  const eventsOf = (messages: readonly Record<string, unknown>[]) =>
    messages.flatMap(({ event, data, document }) =>
      event === undefined ? [] : [[event, Object(data ?? document).updatedAt]],
    )
  const setClock = (time: string) => service.backend.clocks.service.set(new Date(time))

  it('contract 9.3 a live filter on times sees a document as old as it was before the change', async () => {
    await createCollection(ctx, { name: 'aging' })
    setClock('2030-01-01T00:00:00.000Z')
    const [changed, removed] = [await createDocument(ctx, 'aging', {}), await createDocument(ctx, 'aging', {})]
    const old = await aSocket('aging', { updatedAt__lt: '2031' })
    const fresh = await aSocket('aging', { updatedAt__gte: '2031' })

    setClock('2032-01-01T00:00:00.000Z')
    await replaceDocument(ctx, 'aging', changed.id, { n: 1 })
    await removeDocument(ctx, 'aging', removed.id)
    await removeDocument(ctx, 'aging', changed.id)

    const [early, late] = ['2030', '2032'].map((year) => expect.stringContaining(year))
    expect(eventsOf(await old.atLeast(4))).toEqual([
      ['deleted', late],
      ['deleted', early],
    ])
    expect(eventsOf(await fresh.atLeast(4))).toEqual([
      ['created', late],
      ['deleted', late],
    ])
    for (const socket of [old, fresh]) socket.close()
  })

  it('contract 9.5 a ping is answered while a long replay is under way', async () => {
    await createCollection(ctx, { name: 'long' })
    for (let batch = 0; batch < 6; batch++) {
      await createDocuments(
        ctx,
        'long',
        Array.from({ length: 500 }, () => ({})),
      )
    }
    const socket = await openAuthenticated(service.url, service.apiKey)

    socket.say({ type: 'subscribe', collection: 'long', since: 0 })
    socket.say({ type: 'ping' })
    await expect.poll(() => socket.heard.at(-1)?.type, { timeout: 180_000 }).toBe('live')

    const types = socket.heard.map(({ type, event }) => event ?? type)
    expect(types.indexOf('pong')).toBeGreaterThan(types.indexOf('subscribed'))
    expect(types.indexOf('pong')).toBeLessThan(types.lastIndexOf('created'))
    socket.close()
  })

  it('contract 9.2 a subscription that is ended while it replays receives nothing more', async () => {
    await createCollection(ctx, { name: 'cut' })
    for (let batch = 0; batch < 6; batch++) {
      await createDocuments(
        ctx,
        'cut',
        Array.from({ length: 500 }, () => ({})),
      )
    }
    const socket = await openAuthenticated(service.url, service.apiKey)

    socket.say({ type: 'subscribe', collection: 'cut', since: 0 })
    socket.say({ type: 'unsubscribe', collection: 'cut' })
    await expect.poll(() => socket.heard.some(({ type }) => type === 'unsubscribed'), { timeout: 180_000 }).toBe(true)
    const { length } = socket.heard
    await createDocument(ctx, 'cut', {})
    await socket.ask({ type: 'ping' })

    expect(socket.heard.slice(length)).toEqual([{ type: 'pong' }])
    expect(length).toBeLessThan(3_000)
    socket.close()
  })
})
