/** Tests that the commit publishes to every process, however the core was called. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { signUp } from '../../../emulator/core/accounts/accounts.js'
import { changeUser, endSessions } from '../../../emulator/core/accounts/owner.js'
import { changeCollection, createCollection, removeCollection } from '../../../emulator/core/collections/collections.js'
import { openTransactionSlots } from '../../../emulator/core/concurrency/database-slots.js'
import type { Backend, Context } from '../../../emulator/core/context.js'
import {
  createDocument,
  removeDocument,
  replaceDocument,
  updateDocument,
} from '../../../emulator/core/documents/door.js'
import { openEventLog } from '../../../emulator/core/events/event-log.js'
import { identifyText } from '../../../emulator/core/logins/credentials.js'
import { logOut } from '../../../emulator/core/logins/sessions.js'
import { createKey, revokeKey } from '../../../emulator/core/projects/keys.js'
import { allowsOrigin, changeProject } from '../../../emulator/core/projects/projects.js'
import { inTransaction, publishing, unitFor } from '../../../emulator/core/unit-of-work.js'
import { DatabaseError } from '../../../emulator/database/port.js'
import type { Message } from '../../../emulator/ports/bus/port.js'
import { engines } from '../../fixtures/databases/engines.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'
import { patiently } from '../../fixtures/patience.js'
import { aSubscriber, overEventStream, overWebSocket } from '../../fixtures/realtime/subscriber.js'

let server: Databases
beforeAll(async () => {
  server = await openDatabases()
})
afterAll(() => server.stop())

/** Calls the core with the project's secret key. */
async function contextOf({ backend, apiKey, secretKey }: Service): Promise<Context> {
  return { ...(await identifyText(backend, secretKey ?? apiKey)), ...unitFor(backend) }
}

/** Collects messages of the bus from now on, without periodic ones. */
function publishedBy({ bus }: Backend): Message[] {
  const published: Message[] = []
  const keep = (message: Message) => void published.push(message)
  bus.subscribe({ identity: keep, settings: keep, changes: (message) => message.project !== null && keep(message) })
  return published
}

const kindsOf = (messages: readonly Message[]) => messages.map(({ kind }) => kind)

describe.each(engines)('on %s', (engine) => {
  let service: Service
  let ctx: Context
  beforeAll(async () => {
    const databaseUrl = engine === 'postgres' ? await server.newDatabase() : undefined
    service = await openService({ ...defaultConfig, memory: true, databaseUrl })
    ctx = await contextOf(service)
    await createCollection(ctx, { name: 'posts' })
  })
  afterAll(() => service.close())

  it('contract 9.4 a document that is created through the core alone reaches subscribers', async () => {
    const { url, apiKey } = service
    const connecting = [overWebSocket, overEventStream].map((over) =>
      aSubscriber(over, { url, apiKey, collection: 'posts' }),
    )
    const subscribers = await Promise.all(connecting)

    const { id } = await createDocument(ctx, 'posts', { title: 'Hello' })
    await inTransaction(ctx, (ctx) =>
      updateDocument(ctx, 'posts', id, { fields: { title: 'Changed' }, remove: {}, append: {}, unset: [] }),
    )
    await removeDocument(ctx, 'posts', id)

    for (const { heard, untilHeard, stop } of subscribers) {
      await untilHeard(3)
      expect(heard.map(({ event }) => event)).toEqual(['created', 'updated', 'deleted'])
      await stop()
    }
  })

  it('every write of documents and collections publishes the number of its newest change if it has one by then', async () => {
    const published = publishedBy(service.backend)
    const writes = [
      () => createDocument(ctx, 'posts', {}),
      () => createDocument(ctx, 'posts', {}).then(({ id }) => replaceDocument(ctx, 'posts', id, { n: 1 })),
      () => createDocument(ctx, 'posts', {}).then(({ id }) => removeDocument(ctx, 'posts', id)),
      () => createCollection(ctx, { name: 'notes' }),
      () => changeCollection(ctx, 'notes', { name: 'drafts' }),
      () => removeCollection(ctx, 'drafts'),
    ]

    for (const write of writes) await write()

    expect(kindsOf(published)).toEqual([...Array(5).fill('changes'), ...['settings', 'changes', 'settings', 'changes']])
    const seqs = published.flatMap((message) => (message.kind === 'changes' ? [message.seq] : []))
    const { numbersChanges } = service.backend.db.capabilities
    expect(seqs).toEqual(seqs.map((_, at) => (numbersChanges === 'after commit' ? null : Number(seqs[0]) + at)))
  })

  it('a rollback publishes nothing, and neither does a write before it is committed', async () => {
    const published = publishedBy(service.backend)
    const during: Message[] = []

    const work = inTransaction(ctx, async (ctx) => {
      await createDocument(ctx, 'posts', {})
      await changeCollection(ctx, 'posts', { schema: {} })
      during.push(...published)
      throw new Error('taken back')
    })

    await expect(work).rejects.toThrow('taken back')
    expect([during, published]).toEqual([[], []])
  })

  it('a transaction publishes with its own commit what the ones inside it did', async () => {
    const published = publishedBy(service.backend)
    const during: Message[] = []

    await inTransaction(ctx, async (ctx) => {
      await inTransaction(ctx, (ctx) => createDocument(ctx, 'posts', {}))
      during.push(...published)
    })

    expect(during).toEqual([])
    expect(kindsOf(published)).toEqual(['changes'])
  })
})

describe('where the database does not say', () => {
  const published: Message[] = []
  const bus = { publish: async (messages: readonly Message[]) => void published.push(...messages) } as Backend['bus']
  const message: Message = { kind: 'identity' }
  afterEach(() => void published.splice(0))

  /** A transaction whose attempts end as given, one after the other. */
  function aUnit(...endings: (() => void)[]) {
    const transaction = async <Result>(work: (db: Backend['db']) => Promise<Result>): Promise<Result> => {
      let result = await work(db)
      for (const ending of endings) {
        try {
          ending()
          return result
        } catch (error) {
          if ((error as DatabaseError).sqlState !== '40001') throw error
          result = await work(db)
        }
      }
      return result
    }
    const db = { transaction } as Backend['db']
    return {
      backend: { bus, events: openEventLog(), transactions: openTransactionSlots('embedded') },
      db,
      pending: undefined,
    }
  }
  const fail = (sqlState: string) => () => {
    throw new DatabaseError('failed', sqlState)
  }
  const write = (unit: ReturnType<typeof aUnit>) =>
    publishing(
      unit,
      () => message,
      async () => undefined,
    )

  it('whether it has committed, the messages go out all the same', async () => {
    await expect(inTransaction(aUnit(fail('08007')), write)).rejects.toThrow('failed')

    expect(published).toEqual([message])
  })

  it('and whether a statement without a transaction did, its message too', async () => {
    await expect(
      publishing(
        aUnit(),
        () => message,
        async () => fail('08006')(),
      ),
    ).rejects.toThrow('failed')
    await expect(
      publishing(
        aUnit(),
        () => message,
        async () => fail('23505')(),
      ),
    ).rejects.toThrow('failed')

    expect(published).toEqual([message])
  })

  it('what is done again after a deadlock is published once', async () => {
    await inTransaction(aUnit(fail('40001')), write)

    expect(published).toEqual([message])
  })
})

describe('two processes on one PostgreSQL', () => {
  let here: Service
  let there: Service
  beforeAll(async () => {
    const config = { ...defaultConfig, memory: true, databaseUrl: await server.newDatabase() }
    here = await openService(config)
    await changeProject(here.backend, here.project.id, { selfRoles: ['reader'] })
    there = await openService(config)
    // Cache entries stay until a message invalidates them: no time passes.
    vi.useFakeTimers({ toFake: ['performance'] })
  })
  afterAll(async () => {
    vi.useRealTimers()
    await there.close()
    await here.close()
  })

  /** Runs a change here; resolves once the other process has received messages of these kinds, each once. */
  async function received(kinds: readonly string[], change: () => Promise<unknown>): Promise<void> {
    const published = publishedBy(there.backend)
    await change()
    await vi.waitFor(() => expect(kindsOf(published).sort()).toEqual([...kinds].sort()), patiently)
  }

  async function aReader() {
    const ctx = await contextOf(here)
    const account = { email: `${here.backend.newId(new Date())}@example.com`, password: 'Correct horse battery 1' }
    const step = await signUp(ctx, { ...account, roles: ['reader'], data: {} }, { clientAddress: '192.0.2.1' })
    if (!('login' in step)) throw new Error('A code is asked for.')
    return step.login
  }
  const rolesThere = async (token: string) => (await identifyText(there.backend, token)).caller.user?.roles

  it('agree on a removed key within one message', async () => {
    const { id, key } = await createKey(here.backend, here.project.id)
    await identifyText(there.backend, key)

    await received(['identity'], () => revokeKey(here.backend, here.project.id, id))

    await expect(identifyText(there.backend, key)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  it('agree on a changed role within one message', async () => {
    const { token, user } = await aReader()
    expect(await rolesThere(token)).toEqual(['reader'])

    await received(['identity'], () => changeUser(here.backend, user.id, { roles: ['writer'] }))

    expect(await rolesThere(token)).toEqual(['writer'])
  })

  it.each([
    [
      'by its user',
      async (token: string) =>
        logOut({ ...(await identifyText(here.backend, token)), ...unitFor(here.backend) } as never),
    ],
    ['by the owner', async (_token: string, user: string) => endSessions(here.backend, user)],
  ])('agree on a session ended %s within one message', async (_, end) => {
    const { token, user } = await aReader()
    await identifyText(there.backend, token)

    await received(['identity'], () => end(token, user.id))

    await expect(identifyText(there.backend, token)).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
  })

  it('agree on a project’s settings within one message of each kind', async () => {
    const origin = 'https://app.example'
    expect(await allowsOrigin(there.backend, origin)).toBe(false)

    await received(['identity', 'settings'], () =>
      changeProject(here.backend, here.project.id, { allowedOrigins: [origin] }),
    )

    expect(await allowsOrigin(there.backend, origin)).toBe(true)
    expect((await contextOf(there)).project.settings.allowedOrigins).toEqual([origin])
  })

  it('agree on a collection’s permissions within one message of each kind', async () => {
    const ctx = await contextOf(here)
    await createCollection(ctx, { name: 'secrets' })
    const { caller, project } = await identifyText(there.backend, here.apiKey)
    const asPublic: Context = { caller, project, ...unitFor(there.backend) }
    await createDocument(asPublic, 'secrets', {})

    await received(['settings', 'changes'], () =>
      changeCollection(ctx, 'secrets', { permissions: { create: ['admin'] } }),
    )

    await expect(createDocument(asPublic, 'secrets', {})).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })
})
