/** Tests permissions as tables: roles and owners of collections, and the scopes of keys. Contract 5.3; decision 71. */
import { describe, expect, test } from 'vitest'
import {
  collectionsInScope,
  isInScope,
  type ScopeAction,
  scopeForm,
} from '../../../client/protocol/model/access/key-scope.js'
import type { Permissions, StoredCollection } from '../../../client/protocol/model/collection.js'
import type { Where } from '../../../client/protocol/model/where.js'
import { findable } from '../../../emulator/core/access/findable.js'
import {
  allows,
  grantFor,
  partFor,
  readerFor,
  requireAllowed,
  requireGranted,
  requireManager,
} from '../../../emulator/core/access/grant.js'
import {
  collectionsToRead,
  isOutOfScope,
  mayReadUsers,
  requireInScope,
  requireScope,
} from '../../../emulator/core/access/scopes.js'
import type { Caller, Context } from '../../../emulator/core/context.js'

const key = (scopes: readonly string[] | null = null, secret = false): Caller => ({
  id: 'key',
  key: { id: 'key', secret, name: null, scopes, expiresAt: null },
  user: undefined,
  secret,
})
const user = (id: string, ...roles: string[]): Caller => ({
  id,
  key: undefined,
  user: { id, sessionId: 's', roles, isVerified: true, signedInAt: '2026-01-01T00:00:00.000Z' },
  secret: false,
})
const posts = (permissions: Permissions): StoredCollection => ({
  id: 'c',
  name: 'posts',
  schema: {},
  permissions,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
})
const as = (caller: Caller) => ({ caller }) as Context

describe('Scopes', () => {
  const cases: readonly (readonly [string[] | null, ScopeAction, string | undefined, boolean])[] = [
    [null, 'admin', 'posts', true],
    [null, 'read', undefined, true],
    [[], 'read', 'posts', false],
    [['read'], 'read', undefined, true],
    [['read'], 'read', 'posts', true],
    [['read'], 'write', 'posts', false],
    [['write'], 'read', 'posts', false],
    [['write'], 'admin', 'posts', false],
    [['admin'], 'read', 'posts', true],
    [['admin'], 'write', undefined, true],
    [['admin'], 'admin', 'posts', true],
    [['read:posts'], 'read', 'posts', true],
    [['read:posts'], 'read', 'notes', false],
    [['read:posts'], 'read', undefined, false],
    [['read:posts'], 'write', 'posts', false],
    [['admin:posts'], 'write', 'posts', true],
    [['admin:posts'], 'admin', 'notes', false],
    [['read:undefined'], 'read', undefined, false],
    [['write:notes', 'read:posts'], 'read', 'posts', true],
  ]
  test.each(cases)('%j name "%s" in %s: %s', (scopes, action, collection, isNamed) => {
    expect(isInScope(scopes, action, collection)).toBe(isNamed)
  })

  test('the collections that they open for reading are those that they name', () => {
    expect(collectionsInScope(null, 'read')).toBeUndefined()
    expect(collectionsInScope(['read', 'read:posts'], 'read')).toBeUndefined()
    expect(collectionsInScope(['read:posts', 'write:notes', 'admin:tags', 'write'], 'read')).toEqual(['posts', 'tags'])
    expect(collectionsInScope([], 'read')).toEqual([])
    expect(collectionsToRead(key(['read:posts']))).toEqual(['posts'])
    expect(collectionsToRead(key())).toBeUndefined()
    expect(collectionsToRead(user('ada'))).toBeUndefined()
  })

  test.each([
    ['read', true],
    ['write', true],
    ['admin:posts', true],
    [`read:a${'b'.repeat(62)}`, true],
    [`read:a${'b'.repeat(63)}`, false],
    ['read:', false],
    ['read:1', false],
    ['xread', false],
    ['reads', false],
    ['read:posts!', false],
  ])('whether "%s" is one: %s', (text, isOne) => {
    expect(scopeForm.test(text)).toBe(isOne)
  })

  test('what they leave out is refused, and told with what they are', () => {
    const long = 'a'.repeat(90)

    expect(() => requireScope({ caller: key(['read']) }, 'write', long)).toThrow(
      expect.objectContaining({
        code: 'FORBIDDEN',
        message: `The scopes of the key do not include "write" in "${'a'.repeat(80)}".`,
        issues: [],
        reason: { kind: 'scope', action: 'write', collection: long, scopes: ['read'] },
      }),
    )
    expect(() => requireScope({ caller: key(['read']) }, 'admin')).toThrow(
      expect.objectContaining({
        message: 'The scopes of the key do not include "admin".',
        reason: { kind: 'scope', action: 'admin', collection: null, scopes: ['read'] },
      }),
    )
    expect(() => requireScope({ caller: key(['read']) }, 'read', 'posts')).not.toThrow()
    expect(() => requireScope({ caller: key() }, 'admin')).not.toThrow()
    expect(() => requireScope({ caller: user('ada') }, 'admin')).not.toThrow()
  })

  test('a collection that no scope names at all is out of reach, any other is not', () => {
    for (const scope of ['read:posts', 'write:posts', 'admin:posts', 'write']) {
      expect(isOutOfScope(key([scope]), 'posts'), scope).toBe(false)
      expect(() => requireInScope({ caller: key([scope]) }, 'posts')).not.toThrow()
    }
    expect(isOutOfScope(key(['read:notes']), 'posts')).toBe(true)
    expect(() => requireInScope({ caller: key(['read:notes']) }, 'posts')).toThrow(/do not include "read"/)
    expect(isOutOfScope(key(), 'posts')).toBe(false)
    expect(mayReadUsers(key(['read']))).toBe(true)
    expect(mayReadUsers(key(['read:posts']))).toBe(false)
  })
})

describe('Permissions', () => {
  const editors = { read: ['editor'], update: ['owner'], delete: ['editor', 'owner'] }
  const cases: readonly (readonly [string, Caller, Permissions, 'create' | 'read' | 'update' | 'delete', string])[] = [
    ['any key, where nothing is asked', key(), {}, 'create', 'all'],
    ['any key, where an empty list asks nothing', key(), { read: [] }, 'read', 'all'],
    ['a key, where a role is asked', key(), editors, 'read', 'none'],
    ['the secret key', key(null, true), editors, 'read', 'all'],
    ['a user with the role', user('ada', 'editor'), editors, 'read', 'all'],
    ['a user with another one', user('ada', 'author'), editors, 'read', 'none'],
    ['any user, for all who are signed in', user('ada'), { read: ['authenticated'] }, 'read', 'all'],
    ['a key, for all who are signed in', key(), { read: ['authenticated'] }, 'read', 'none'],
    ['a user, for owners', user('ada'), editors, 'update', 'own'],
    ['a user with a role of that name, for owners', user('ada', 'owner'), editors, 'update', 'own'],
    ['a key, for owners', key(), editors, 'update', 'none'],
    ['an editor, for editors and owners', user('ada', 'editor'), editors, 'delete', 'all'],
    ['a secret key whose scopes leave it out', key(['read:notes'], true), {}, 'read', 'none'],
    ['a key that may read, for creating', key(['read']), {}, 'create', 'none'],
    ['a key that may write, for creating', key(['write']), {}, 'create', 'all'],
    ['a key that may write, for updating', key(['write']), {}, 'update', 'all'],
    ['a key that may write, for deleting', key(['write']), {}, 'delete', 'all'],
    ['a key that may write, for reading', key(['write']), {}, 'read', 'none'],
  ]
  const own = { own: true, members: [] }
  test.each(cases)('%s', (_, caller, permissions, kind, access) => {
    const grant = grantFor(caller, posts(permissions))

    expect(grant[kind]).toEqual(access === 'own' ? own : access)
    expect(allows(grant, kind, { id: 'd', createdBy: caller.user?.id ?? null })).toBe(access !== 'none')
    expect(allows(grant, kind, { id: 'd', createdBy: 'another user' })).toBe(access === 'all')
    if (access === 'own') expect(partFor(grant, kind)).toMatchObject({ user: caller.user?.id, ...own })
    if (access === 'all') expect(partFor(grant, kind)).toBeUndefined()
    const required = () => requireGranted(grant, kind)
    if (access === 'none') expect(required).toThrow()
    else expect(required).not.toThrow()
  })

  test('a refusal says whether a token might help, what was wanted, and which roles there are', () => {
    const reason = { kind: 'permission', collection: 'posts', permission: 'read', wanted: ['editor'] }
    const details = (code: string, roles: string[]) =>
      expect.objectContaining({ code, issues: [], reason: { ...reason, roles } })

    expect(() => requireGranted(grantFor(key(), posts(editors)), 'read')).toThrow(details('UNAUTHORIZED', []))
    expect(() => requireGranted(grantFor(user('ada', 'author', 'owner'), posts(editors)), 'read')).toThrow(
      details('FORBIDDEN', ['authenticated', 'author']),
    )
    expect(() => requireGranted(grantFor(key(['write']), posts(editors)), 'read')).toThrow(
      expect.objectContaining({ code: 'FORBIDDEN', reason: expect.objectContaining({ kind: 'scope' }) }),
    )
  })

  test('refuses a document of another user, with NOT_FOUND if the caller cannot read it', () => {
    const other = { id: 'd1', createdBy: 'bob' }
    const refused = (permissions: Permissions, document = other) => {
      try {
        requireAllowed(grantFor(user('ada'), posts(permissions)), 'update', document)
      } catch (error) {
        return error
      }
      return undefined
    }
    const reason = {
      kind: 'permission',
      collection: 'posts',
      permission: 'update',
      wanted: ['owner'],
      roles: ['authenticated'],
    }

    expect(refused({ update: ['owner'] })).toMatchObject({ code: 'FORBIDDEN', issues: [], reason })
    expect(refused({ update: ['owner'], read: ['owner'] })).toMatchObject({ code: 'NOT_FOUND', issues: [], reason })
    expect(refused({ update: ['owner'] }, { id: 'd2', createdBy: 'ada' })).toBeUndefined()
  })

  test('statements learn the roles, collections and user of a reader', () => {
    expect(readerFor(user('ada', 'editor', 'owner'))).toEqual({
      mayReadAll: false,
      roles: ['authenticated', 'editor'],
      collections: undefined,
      user: 'ada',
    })
    expect(readerFor(key(['read:posts'], true))).toEqual({
      mayReadAll: true,
      roles: [],
      collections: ['posts'],
      user: undefined,
    })
  })

  test('created_by is the creator only in a collection that names owners', () => {
    const where: Where = { all: [{ any: [{ path: ['created_by'], operator: 'eq', value: 'me' }] }] }
    const find = (permissions: Permissions) => findable(grantFor(user('ada', 'editor'), posts(permissions)), where)

    expect(find({ read: ['editor'], delete: ['editor', 'owner'] })).toEqual({ where: { all: [] }, creator: 'ada' })
    expect(find({ read: ['editor'], delete: [] })).toEqual({ where, creator: undefined })
    expect(find({})).toEqual({ where, creator: undefined })
  })

  test('hides the outermost fields from callers without their role', () => {
    const fields = {
      hidden: { salary: ['editor'], 'home.street': [], home: ['editor'] },
      readonly: { status: ['editor'] },
    }

    expect(grantFor(user('ada'), posts(fields))).toMatchObject({
      hidden: [['salary'], ['home']],
      readonly: [['status']],
    })
    expect(grantFor(user('ada', 'editor'), posts(fields))).toMatchObject({ hidden: [['home', 'street']], readonly: [] })
    expect(grantFor(key(), posts(fields)).hidden).toEqual([['salary'], ['home']])
    expect(grantFor(key(null, true), posts(fields))).toMatchObject({ hidden: [], readonly: [] })
  })

  test('a collection is managed by a key, and by the secret one where it has permissions', () => {
    const managed = (caller: Caller, permissions: Permissions) => () => requireManager(as(caller), posts(permissions))
    const needs = (needs: string) =>
      expect.objectContaining({ code: 'FORBIDDEN', issues: [], reason: { kind: 'caller', needs } })

    expect(managed(key(), {})).not.toThrow()
    expect(managed(key(), { read: [] })).not.toThrow()
    expect(managed(key(), { read: [], create: ['editor'] })).toThrow(needs('secret key'))
    expect(managed(key(null, true), { read: ['editor'] })).not.toThrow()
    expect(managed(user('ada', 'editor'), {})).toThrow(needs('key'))
    expect(managed(key(['write']), {})).toThrow(
      expect.objectContaining({ reason: expect.objectContaining({ kind: 'scope' }) }),
    )
    expect(managed(key(['admin:posts']), {})).not.toThrow()
    expect(managed(key(['admin:notes']), {})).toThrow()
  })
})
