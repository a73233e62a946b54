/** Tests the cost of a change of one caller for all others: lookups and statements. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { openTokenFor } from '../../../emulator/core/accounts/owner.js'
import type { Sql } from '../../../emulator/database/port.js'
import { startOn } from '../../fixtures/databases/engine-emulators.js'
import { engines } from '../../fixtures/databases/engines.js'
import { type EventStream, openEvents } from '../../fixtures/realtime/streams.js'
import { type Ask, askerOf } from '../../fixtures/requests/ask.js'

describe.each(engines)('Callers who are looked up again, on %s', (engine) => {
  let service: Service
  let ask: Ask
  const closing: (() => void)[] = []
  beforeAll(async () => {
    service = await startOn(engine, (config) => openService({ ...defaultConfig, ...config }))
    ask = askerOf(service)
    await ask('POST', '/collections', { name: 'posts' })
  })
  afterEach(() => {
    for (const close of closing.splice(0)) close()
  })
  afterAll(() => service.close())

  let count = 0
  async function aUser() {
    const credentials = { email: `user-${++count}@example.com`, password: 'Correct4Horse' }
    const { body } = await ask('POST', '/auth-collections/signup', credentials)
    return { id: String(body.id), token: String(body.token) }
  }

  const update = (token: string, changes: object) => ask('PATCH', '/auth-collections/user', changes, token)

  /** The statements from now on that ask for sessions. */
  function statementsOfSessions(): string[] {
    const { db } = service.backend
    const asked: string[] = []
    const query = <Row>(statement: Sql): Promise<Row[]> => {
      if (/\bfrom sessions\b/.test(statement.text)) asked.push(statement.text)
      return db.query<Row>(statement)
    }
    Object.assign(service.backend, { db: { ...db, query } })
    closing.push(() => Object.assign(service.backend, { db }))
    return asked
  }

  /** How often, from now on, this process learns that anybody may be somebody else. */
  function identityMessages(): unknown[] {
    const messages: unknown[] = []
    const ignore = () => undefined
    const identity = (message: unknown) => void messages.push(message)
    closing.push(service.backend.bus.subscribe({ identity, settings: ignore, changes: ignore }))
    return messages
  }

  it('a stream ends with its session, whose look-up is one with those of all other streams', async () => {
    const { id } = await aUser()
    const streams: { token: string; stream: EventStream }[] = []
    for (let n = 0; n < 60; n++) {
      const token = await openTokenFor(service.backend, id)
      const stream = await openEvents(service.url, '/realtime/sse/posts', { authorization: `Bearer ${token}` })
      expect(stream.status).toBe(200)
      closing.push(() => stream.close())
      streams.push({ token, stream })
    }
    const last = streams.at(-1)
    const asked = statementsOfSessions()

    await ask('POST', '/auth-collections/logout', {}, last?.token)
    await last?.stream.closed

    // That of the request, and those of a round or, every five seconds, of another.
    expect(asked.length).toBeLessThan(30)
    await ask('POST', '/collections/posts', { title: 'x' })
    await Promise.all(streams.slice(0, -1).map(({ stream }) => stream.atLeast(1)))
  })

  it('changes of one’s own data, or of an address that was not verified, have nobody looked up again', async () => {
    const { token } = await aUser()
    const messages = identityMessages()

    for (const changes of [{}, { data: { name: 'Ada' } }, { email: `user-${++count}@example.com` }])
      expect((await update(token, changes)).status).toBe(200)

    expect(messages).toEqual([])
  })

  it('contract 6.9 a verified user who moves to another address is unverified with the next request', async () => {
    const settings = (settings: object) => ask('PATCH', `/_svc/api/projects/${service.project.id}`, { settings })
    const { id, token } = await aUser()
    await settings({ requireVerifiedEmail: true })
    await ask('PATCH', `/_svc/api/users/${id}`, { emailVerified: true })
    const write = async () => (await ask('POST', '/collections/posts', {}, token)).status
    expect(await write()).toBe(201)
    const messages = identityMessages()

    expect((await update(token, { email: `user-${++count}@example.com` })).status).toBe(200)

    expect(await write()).toBe(403)
    expect(messages).toHaveLength(1)
    await settings({ requireVerifiedEmail: false })
  })
})
