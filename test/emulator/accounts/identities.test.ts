/** Tests the identity behind keys, tokens and connections as time passes and rights change. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { changeUser } from '../../../emulator/core/accounts/owner.js'
import type { Backend, Identity } from '../../../emulator/core/context.js'
import { identifyAgain, identifyKey, identifySession, identifyText } from '../../../emulator/core/logins/credentials.js'
import { createKey, type KeyOptions, revokeKey } from '../../../emulator/core/projects/keys.js'
import { changeProject } from '../../../emulator/core/projects/projects.js'
import type { Sql } from '../../../emulator/database/port.js'

let service: Service
let backend: Backend
let project: string
let time = Date.UTC(2026, 0, 1)
beforeAll(async () => {
  service = await openService({ ...defaultConfig, memory: true, now: () => new Date(time) })
  backend = service.backend
  project = service.project.id
})
afterAll(() => service.close())

/** The refusal of an identity, or undefined. */
function refusal(identity: Promise<Identity>) {
  return identity.then(
    () => undefined,
    ({ code, reason, issues }) => ({ code, problem: reason?.problem, issues }),
  )
}

/** The current identity, or undefined once the session or key has ended. */
async function again(identity: Identity): Promise<Identity | undefined> {
  const [found] = await identifyAgain(backend, [identity])
  return found
}

const unknownKey = { code: 'UNAUTHORIZED', problem: 'unknown key', issues: [] }
const expiredKey = { code: 'UNAUTHORIZED', problem: 'expired key', issues: [] }
const endedSession = { code: 'INVALID_TOKEN', problem: 'ended session', issues: [] }

const aKey = (wish: KeyOptions = {}) => createKey(backend, project, wish)

async function ask(method: string, path: string, body: object, headers: object = {}) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      'x-api-key': service.secretKey ?? '',
      'content-type': 'application/json',
      'svc-dialect': 'b',
      ...headers,
    },
    body: JSON.stringify(body),
  })
  expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true)
  return response.json() as Promise<{ token: string }>
}

let signedUp = 0
/** A user's token, and who that is. */
async function aUser(data: object = {}) {
  const credentials = { email: `user-${++signedUp}@example.com`, password: 'Correct4Horse' }
  await ask('POST', '/auth-collections/signup', { ...credentials, data })
  const { token } = await ask('POST', '/auth-collections/login', credentials)
  const identity = await identifyText(backend, token)
  const user = identity.caller.user
  if (!user) throw new Error('A token is of a user.')
  return { token, identity, user }
}

describe('a key', () => {
  it.each([
    ['is empty', '', false],
    ['is none of the project', 'svc_key_nothing', true],
    ['is as long as any', 'x'.repeat(2_000), true],
    ['is longer than any', 'x'.repeat(2_001), false],
    ['is a token', undefined, false],
  ])('that %s is not known', async (_, text, isLookedUp) => {
    const key = text ?? (await aUser()).token
    const asked: string[] = []
    const query = <Row>(statement: Sql): Promise<Row[]> => {
      asked.push(statement.text)
      return backend.db.query<Row>(statement)
    }

    expect(await refusal(identifyKey({ ...backend, db: { ...backend.db, query } }, key))).toEqual(unknownKey)
    expect(asked.length > 0).toBe(isLookedUp)
  })

  it.each([true, false])('stands for its holder, secret: %s', async (secret) => {
    const { id, key } = await aKey({ secret, scopes: ['read'] })

    const { caller } = await identifyText(backend, key)

    expect(caller).toMatchObject({ id, secret, user: undefined, key: { id, scopes: ['read'] } })
  })

  it('is good until the moment at which it expires', async () => {
    const { key } = await aKey({ expiresInSeconds: 60 })
    const identity = await identifyKey(backend, key)

    time += 59_999
    expect([await refusal(identifyKey(backend, key)), await again(identity)]).toEqual([undefined, identity])
    time += 1
    expect([await refusal(identifyKey(backend, key)), await again(identity)]).toEqual([expiredKey, undefined])
  })
})

describe('a token', () => {
  it('is good until the moment at which it expires, also while it is remembered', async () => {
    const { token } = await aUser()
    const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp: number }

    time = exp * 1_000 - 1
    expect(await refusal(identifyText(backend, token))).toBeUndefined()
    time += 1
    expect(await refusal(identifyText(backend, token))).toMatchObject({ code: 'INVALID_TOKEN' })
  })

  it('that is longer than any is malformed', async () => {
    const { token } = await aUser()

    expect(await refusal(identifyText(backend, `${token}${'x'.repeat(2_000)}`))).toEqual({
      code: 'INVALID_TOKEN',
      problem: 'malformed token',
      issues: [],
    })
  })

  it('ends with its session', async () => {
    const { token, identity, user } = await aUser()
    const session = { user: user.id, session: user.sessionId }
    expect((await identifySession(backend, project, session)).caller).toEqual({
      ...{ id: user.id, key: undefined, secret: false },
      user,
    })

    await ask('POST', '/auth-collections/logout', {}, { authorization: `Bearer ${token}` })

    expect(await refusal(identifyText(backend, token))).toEqual(endedSession)
    expect(await refusal(identifySession(backend, project, session))).toEqual(endedSession)
    expect(await again(identity)).toBeUndefined()
  })
})

describe('looked at again', () => {
  let byKey: Identity
  let key: Awaited<ReturnType<typeof aKey>>
  beforeEach(async () => {
    key = await aKey({ secret: true })
    byKey = await identifyKey(backend, key.key)
  })

  it('a key is the same, until it is revoked', async () => {
    expect(await again(byKey)).toEqual(byKey)

    await revokeKey(backend, project, key.id)

    expect(await again(byKey)).toBeUndefined()
  })

  it('a user is the same without a key', async () => {
    const { identity } = await aUser()

    expect(await again(identity)).toEqual(identity)
  })

  it('a user beside a key has its rights, and none once it is revoked', async () => {
    const { identity, user } = await aUser()
    const both: Identity = { ...identity, caller: { ...identity.caller, key: byKey.caller.key, secret: true } }

    expect((await again(both))?.caller).toEqual({
      id: user.id,
      user,
      key: byKey.caller.key,
      secret: true,
    })
    await revokeKey(backend, project, key.id)
    expect(await again(both)).toBeUndefined()
  })

  it('nobody is not known', async () => {
    const nobody: Identity = { ...byKey, caller: { ...byKey.caller, key: undefined } }

    expect(await again(nobody)).toBeUndefined()
  })

  it('many at once are each who they are, whichever of them have ended', async () => {
    const [one, two, three] = [await aUser(), await aUser(), await aUser()]
    const other = await identifyKey(backend, (await aKey()).key)
    const foreign: Identity = { ...byKey, project: { ...byKey.project, id: 'none' } }
    const taken: Identity = {
      ...three.identity,
      caller: { ...one.identity.caller, user: { ...one.user, id: two.user.id } },
    }
    await ask('POST', '/auth-collections/logout', {}, { authorization: `Bearer ${two.token}` })
    const all = [one.identity, byKey, two.identity, foreign, three.identity, taken, other, byKey]

    const found = await identifyAgain(backend, all)

    expect(found).toEqual([one.identity, byKey, undefined, undefined, three.identity, undefined, other, byKey])
    expect(await identifyAgain(backend, [])).toEqual([])
  })

  it('a key has the settings that the project has now', async () => {
    await changeProject(backend, project, { tokenTtl: 1_000 })

    expect((await again(byKey))?.project.settings.tokenTtl).toBe(1_000)
    await changeProject(backend, project, { tokenTtl: 7 * 86_400 })
  })
})

it('data.role counts among the roles where the project trusts it and its owner wrote it', async () => {
  const roles = async (token: string) => (await identifyText(backend, token)).caller.user?.roles
  const trusting = async (trustDataRole: boolean) => void (await changeProject(backend, project, { trustDataRole }))
  await trusting(true)
  const [one, other] = [await aUser(), await aUser()]
  await changeUser(backend, one.user.id, { role: 'editor' })

  expect([await roles(one.token), await roles(other.token)]).toEqual([['editor'], []])
  await trusting(false)
  expect(await roles(one.token)).toEqual([])
})
