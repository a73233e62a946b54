/** A process that could not ask the database for long, while others wrote, and what is kept no longer was deleted. Contract 9.4. */
import { afterEach, describe, expect, it } from 'vitest'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { createCollection } from '../../../emulator/core/collections/collections.js'
import type { Context } from '../../../emulator/core/context.js'
import { createDocuments } from '../../../emulator/core/documents/door.js'
import { identifyText } from '../../../emulator/core/logins/credentials.js'
import { openFeeds } from '../../../emulator/core/realtime/feeds.js'
import { unitFor } from '../../../emulator/core/unit-of-work.js'
import { type Database, DatabaseError } from '../../../emulator/database/port.js'
import { deleteOldChanges } from '../../../emulator/store/realtime/trimming.js'
import { startOn } from '../../fixtures/databases/engine-emulators.js'
import { engines } from '../../fixtures/databases/engines.js'
import { openAuthenticated, openEvents } from '../../fixtures/realtime/streams.js'

describe.each(engines)('Connections on %s', (engine) => {
  let service: Service
  afterEach(() => service.close())

  /** A service whose own reading of changes can be made to fail, two subscribers, and another one that writes. */
  async function aWorld() {
    service = await startOn(engine, (options) => openService({ ...defaultConfig, ...options }))
    const { backend, url, apiKey, secretKey = '' } = service
    const { db: others } = backend
    const owner: Context = { ...(await identifyText(backend, secretKey)), ...unitFor(backend) }
    let isAway = false
    let failures = 0
    const query: Database['query'] = (statement) => {
      if (!isAway) return others.query(statement)
      failures++
      return Promise.reject(new DatabaseError('The database is away.', '08006'))
    }
    // As if what reads the changes had a connection of its own.
    const feeds = openFeeds({ ...others, query }, backend.bus, () => undefined)
    Object.assign(backend, { feeds })
    await createCollection(owner, { name: 'posts' })
    const socket = await openAuthenticated(url, apiKey, 'a')
    await socket.ask({ type: 'subscribe', collection: 'posts' })
    const stream = await openEvents(url, '/realtime/sse/posts?dialect=a', { 'x-api-key': apiKey })
    const write = (many: readonly string[]) =>
      createDocuments(
        owner,
        'posts',
        many.map((title) => ({ title })),
      )
    return {
      ...{ write, others },
      async whileAway(work: () => Promise<unknown>) {
        isAway = true
        await write(['unread'])
        await expect.poll(() => failures).toBeGreaterThan(0)
        await work()
        isAway = false
      },
      heard: () => [socket.heard.slice(2), stream.heard].map((all) => all.map((one) => one.code ?? titleOf(one))),
    }
  }

  it('contract 9.4 say so where changes they have not read are kept no longer, and go on from now', async () => {
    const { write, whileAway, others, heard } = await aWorld()
    await write(['before'])
    await expect.poll(heard).toEqual([['before'], ['before']])

    await whileAway(async () => {
      for (let n = 0; n < 3; n++) await write(Array.from({ length: 400 }, () => 'lost'))
      const later = new Date(Date.now() + 60_000).toISOString()
      expect(await deleteOldChanges(others, { before: later, kept: 100, most: 5_000 })).toBeGreaterThan(1_000)
    })
    await expect.poll(() => heard().map((all) => all.at(-1))).toEqual(['RESYNC', 'RESYNC'])
    await write(['after'])

    await expect.poll(() => heard().map((all) => all.at(-1))).toEqual(['after', 'after'])
    const whole = ['before', 'RESYNC', 'after']
    expect(heard()).toEqual([whole, whole])
  })

  it('contract 9.4 receive everything, however far behind they are, as long as it is kept', async () => {
    const { write, whileAway, heard } = await aWorld()

    await whileAway(async () => {
      for (let n = 0; n < 3; n++) await write(Array.from({ length: 400 }, () => 'late'))
    })

    const whole = ['unread', ...Array.from({ length: 1_200 }, () => 'late')]
    await expect.poll(() => heard().map(({ length }) => length)).toEqual([1_201, 1_201])
    expect(heard()).toEqual([whole, whole])
  })
})

function titleOf({ document }: Record<string, unknown>): unknown {
  return (document as { data: { title: unknown } }).data.title
}
