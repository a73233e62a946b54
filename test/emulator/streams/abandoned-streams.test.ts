/** Clients that ask for a stream and disconnect before it begins. */
import { once } from 'node:events'
import { createServer, get, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { defaultSettings } from '../../../client/protocol/model/project.js'
import { dialects } from '../../../client/protocol/wire/dialects.js'
import { openCaches } from '../../../emulator/core/caches.js'
import type { Context } from '../../../emulator/core/context.js'
import { unscoped } from '../../../emulator/core/identity.js'
import { openFeeds } from '../../../emulator/core/realtime/feeds.js'
import { unitFor } from '../../../emulator/core/unit-of-work.js'
import { openIdentityWatch } from '../../../emulator/http/guards/identity-watch.js'
import { openConnectionSlots } from '../../../emulator/http/realtime/connection-slots.js'
import { openMessagesAtWork } from '../../../emulator/http/realtime/messages-at-work.js'
import { streamEvents } from '../../../emulator/http/realtime/sse.js'
import { run } from '../../../emulator/http/run.js'
import type { Serve } from '../../../emulator/http/stages.js'
import { openMemoryBus } from '../../../emulator/ports/bus/memory-bus.js'
import { insertCollection } from '../../../emulator/store/collections.js'
import { insertProject } from '../../../emulator/store/projects.js'
import { type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'
import { aBackend, anHttpContext } from '../../fixtures/stand-ins.js'

const at = '2026-01-01T00:00:00.000Z'
const id = '01900000-0000-7000-8000-000000000001'
const project = { id: 'test', name: 'test', settings: defaultSettings }
const caller = { id, key: { id, secret: false, ...unscoped }, user: undefined, secret: false }
let opened: OpenedEngine

beforeAll(async () => {
  opened = await openEngine('pglite')
  await insertProject(opened.db, project, [], at)
  const posts = { id, name: 'posts', schema: {}, permissions: {}, createdAt: at, updatedAt: at }
  await insertCollection(opened.db, project.id, posts)
})
afterAll(() => opened.stop())

it('lets go of a subscription whose asker has gone before it began', async () => {
  const { db } = opened
  const faults: unknown[] = []
  const bus = openMemoryBus()
  const feeds = openFeeds(db, bus, (error) => faults.push(error))
  const leave = vi.spyOn(feeds, 'leave')
  const backend = aBackend({ db, bus, feeds, caches: openCaches(bus) })
  const watch = openIdentityWatch(backend)
  const ctx: Context = { project, caller, ...unitFor(backend) }
  const streams = { watch, open: new Set<() => void>(), places: openConnectionSlots(), atWork: openMessagesAtWork() }
  const wish = { collection: 'posts', where: { all: [] }, isLive: false, since: undefined }
  const serve: Serve = async (incoming, reach) => {
    const { req } = reach({ ...incoming, dialect: dialects.a })
    await once(req.socket, 'close')
    return {
      status: 200,
      headers: {},
      ...(await streamEvents(ctx, wish, { dialect: dialects.a, streams, address: '127.0.0.1', origin: null })),
    }
  }
  const answered: Promise<void>[] = []
  const server = createServer(
    (req, res: ServerResponse) => void answered.push(run(anHttpContext(), '/', serve, req, res)),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')

  const asking = get({ port: (server.address() as AddressInfo).port }).on('error', () => undefined)
  await once(server, 'request')
  asking.destroy()
  await Promise.all(answered)

  expect(leave).toHaveBeenCalledTimes(1)
  expect(streams.open.size).toBe(0)
  expect(faults).toEqual([])
  feeds.close()
  watch.close()
  server.close()
})
