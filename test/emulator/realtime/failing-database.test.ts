/** Subscriptions while the database cannot answer permission checks. Contract 9.4. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { changeCollection, createCollection } from '../../../emulator/core/collections/collections.js'
import type { Context } from '../../../emulator/core/context.js'
import { createDocument } from '../../../emulator/core/documents/door.js'
import { identifyText } from '../../../emulator/core/logins/credentials.js'
import { unitFor } from '../../../emulator/core/unit-of-work.js'
import { DatabaseError } from '../../../emulator/database/port.js'
import { openAuthenticated } from '../../fixtures/realtime/streams.js'

let service: Service
let owner: Context
/** How many queries for a collection still fail. */
let failing = 0
beforeAll(async () => {
  service = await openService({ ...defaultConfig, memory: true })
  const { backend, secretKey = '' } = service
  const { query } = backend.db
  // The owner has a separate connection, which works.
  owner = { ...(await identifyText(backend, secretKey)), ...unitFor({ ...backend, db: { ...backend.db } }) }
  backend.db.query = (statement) => {
    const isLook = /from collections c.*limit 1/s.test(statement.text) && !statement.text.includes('for update')
    if (failing === 0 || !isLook) return query(statement)
    failing--
    return Promise.reject(new DatabaseError('The database is away.', '08006'))
  }
})
beforeEach(() => {
  failing = 0
})
afterAll(() => service.close())

const permissions = { create: [], update: [], delete: [] }

async function aSubscription(collection: string) {
  await createCollection(owner, { name: collection })
  const socket = await openAuthenticated(service.url, service.apiKey)
  await socket.ask({ type: 'subscribe', collection })
  return socket
}

it('contract 9.4 a subscription outlives a database that fails, and receives what happened meanwhile', async () => {
  const socket = await aSubscription('posts')

  failing = 3
  await changeCollection(owner, 'posts', { permissions: { ...permissions, read: [] } })
  await createDocument(owner, 'posts', { n: 1 })

  const [event] = (await socket.atLeast(3)).slice(2)
  expect(event).toMatchObject({ type: 'event', document: { data: { n: 1 } } })
  expect(failing).toBe(0)
  socket.close()
})

it('contract 9.2 nothing goes out before the database has said who may read', async () => {
  const socket = await aSubscription('notes')

  failing = 3
  await changeCollection(owner, 'notes', { permissions: { ...permissions, read: ['nobody'] } })
  await createDocument(owner, 'notes', { n: 1 })

  const [last] = (await socket.atLeast(3)).slice(2)
  expect(last).toMatchObject({ type: 'error', code: 'UNAUTHORIZED', collection: 'notes' })
  expect(failing).toBe(0)
  socket.close()
})
