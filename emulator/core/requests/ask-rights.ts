/** Answers what each kind of caller may do in a collection, with the checks that requests pass. Writes nothing. */
import { memberPrefix } from '../../../client/protocol/model/access/member-word.js'
import {
  authenticatedWord,
  classifyWord,
  isOfDocument,
  type WordKind,
} from '../../../client/protocol/model/access/permission-words.js'
import type { RightsAction } from '../../../client/protocol/model/access/rights-actions.js'
import {
  type PermissionKind,
  type Permissions,
  permissionKinds,
  type StoredCollection,
} from '../../../client/protocol/model/collection.js'
import { isId, type StoredDocument } from '../../../client/protocol/model/document.js'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { type ErrorCode, httpStatus, SvcError } from '../../../client/protocol/model/errors.js'
import { JsonText } from '../../../client/protocol/model/json.js'
import type { Project } from '../../../client/protocol/model/project.js'
import { selectUsersToAsk, type UserToAsk } from '../../store/accounts/users.js'
import { selectCollection } from '../../store/collections.js'
import { selectDocument, selectNewestDocument } from '../../store/documents.js'
import { selectKeys } from '../../store/projects.js'
import {
  allows,
  callerRoles,
  type Grant,
  grantFor,
  type Memberships,
  requireAllowed,
  requireCreatable,
  requireGranted,
} from '../access/grant.js'
import { findMemberships } from '../access/memberships.js'
import { noSuchCollection, noSuchDocument } from '../access/missing.js'
import { requirePermissions } from '../collections/collections.js'
import type { Backend, Caller } from '../context.js'
import { callerFor, unscoped } from '../identity.js'
import { requireUnexpired } from '../logins/credentials.js'
import { requireProject } from '../projects/require-project.js'

interface Question {
  /** Default: the newest document. */
  readonly document?: string | undefined
  /** Permissions that are not saved. Default: those of the collection. */
  readonly permissions?: Permissions | undefined
  /** Ids or addresses of users to ask as. */
  readonly users?: readonly string[] | undefined
}

interface Asker {
  readonly kind: 'nobody' | 'key' | 'user' | WordKind | 'secret key'
  readonly name: string
  readonly id: string | null
  /** Undefined without a key and a token. */
  readonly caller: Caller | undefined
}

interface Cell {
  readonly status: number
  readonly code: ErrorCode | null
  readonly reason: string
}

interface Asked {
  readonly backend: Backend
  readonly project: Project
  readonly collection: StoredCollection
  readonly document: StoredDocument
}

/** Limits the keys and roles, so that the table stays readable. */
const maxRows = 50

/** @throws {SvcError} `NOT_FOUND`, `USER_NOT_FOUND`, `VALIDATION_ERROR` */
export async function askRights(
  backend: Backend,
  place: { readonly project: string; readonly collection: string },
  { document: id, permissions, users = [] }: Question,
) {
  const project = await requireProject(backend, place.project)
  const stored = await selectCollection(backend.db, project.id, place.collection)
  if (!stored) throw noSuchCollection(place.collection)
  if (permissions) requirePermissions(permissions, stored.schema)
  const collection = permissions ? { ...stored, permissions } : stored
  const found = await findDocument(backend, stored, id)
  const asked: Asked = { backend, project, collection, document: found ?? assumeDocument(backend, project, stored) }
  const askers = await listAskers(asked, users)
  const rows = await Promise.all(
    askers.map(async (asker) => ({
      ...{ kind: asker.kind, name: asker.name, id: asker.id },
      cells: await fillCells(asked, asker),
    })),
  )
  return { collection: stored.name, document: found?.id ?? null, isSaved: permissions === undefined, rows }
}

async function findDocument(
  { db }: Backend,
  collection: StoredCollection,
  id: string | undefined,
): Promise<StoredDocument | undefined> {
  if (id === undefined) return selectNewestDocument(db, collection)
  const document = isId(id) ? await selectDocument(db, collection, id) : undefined
  if (!document) throw noSuchDocument(collection, id)
  return document
}

function assumeDocument(backend: Backend, project: Project, { id, name }: StoredCollection): StoredDocument {
  const now = backend.now(project.id)
  const at = now.toISOString()
  const times = { createdAt: at, updatedAt: at, version: 1 }
  return {
    id: backend.newId(now),
    collection: name,
    collectionId: id,
    data: new JsonText('{}'),
    createdBy: null,
    ...times,
  }
}

async function listAskers(asked: Asked, users: readonly string[]): Promise<Asker[]> {
  const { backend, project, collection } = asked
  const keys = await selectKeys(backend.db, project.id)
  const toAsker = (key: (typeof keys)[number]): Asker => ({
    ...{ kind: key.secret ? 'secret key' : 'key', id: key.id, caller: callerFor(key) },
    name: key.name ?? (key.secret ? 'secret key' : 'key'),
  })
  const words = new Set([authenticatedWord, ...permissionKinds.flatMap((kind) => collection.permissions[kind] ?? [])])
  return [
    { kind: 'nobody' as const, name: 'nobody', id: null, caller: undefined },
    ...keys
      .filter(({ secret }) => !secret)
      .slice(0, maxRows)
      .map(toAsker),
    ...(await findUsers(asked, users)),
    ...[...words].slice(0, maxRows).map((word) => assumeUser(asked, word)),
    ...keys
      .filter(({ secret }) => secret)
      .slice(0, maxRows)
      .map(toAsker),
  ]
}

async function findUsers({ backend, project }: Asked, given: readonly string[]): Promise<Asker[]> {
  if (given.length === 0) return []
  const found = await selectUsersToAsk(backend.db, project, given)
  const byName = new Map(found.flatMap((user) => [[user.id, user] as const, [user.emailKey, user] as const]))
  return [...new Set(given)].map((name) => {
    const user = byName.get(name) ?? byName.get(name.toLowerCase())
    if (!user) throw plainError('USER_NOT_FOUND')
    const { id, roles, isVerified } = user
    return { kind: 'user', name: user.email, id, caller: callerWith({ id, roles, isVerified }) }
  })
}

/** A user with one permission word, who exists only for the question. */
function assumeUser({ backend, project }: Asked, word: string): Asker {
  const kind = classifyWord(word)
  const roles = kind === 'role' ? [word] : []
  const id = backend.newId(backend.now(project.id))
  return { kind, name: word, id: null, caller: callerWith({ id, roles, isVerified: true }) }
}

function callerWith(user: Omit<UserToAsk, 'email' | 'emailKey'>): Caller {
  const key = { id: user.id, secret: false, ...unscoped }
  return { ...callerFor(key), user: { ...user, sessionId: user.id, signedInAt: '' } }
}

async function fillCells({ backend, project, collection, document }: Asked, asker: Asker) {
  const { caller, kind, name } = asker
  if (!caller)
    return sameCells({ status: 401, code: 'UNAUTHORIZED', reason: 'Refused before the permissions are read.' })
  const grant = grantFor(caller, collection)
  const createdBy = kind === 'owner' ? caller.id : document.createdBy
  const target = { ...document, createdBy }
  const memberships = await findAssumed(backend, grant, target, kind === 'member' ? name : undefined)
  const check = checksFor(grant, target, memberships)
  const cell = (action: RightsAction): Cell => {
    try {
      if (caller.key) requireUnexpired(backend, project, caller.key)
      requireVerified(project, caller, action)
      check[action]()
    } catch (error) {
      if (error instanceof SvcError) return toRefusal(error)
      throw error
    }
    const status = action === 'create' ? 201 : 200
    return { status, code: null, reason: explainGrant(grant, action, target, memberships) }
  }
  return {
    create: cell('create'),
    list: cell('list'),
    get: cell('get'),
    update: cell('update'),
    delete: cell('delete'),
  }
}

const sameCells = (cell: Cell) => ({ create: cell, list: cell, get: cell, update: cell, delete: cell })

async function findAssumed(
  { db }: Backend,
  grant: Grant,
  document: StoredDocument,
  word: string | undefined,
): Promise<Memberships> {
  if (word !== undefined) return new Map([[document.id, new Set([word.slice(memberPrefix.length)])]])
  return findMemberships(db, grant, [document])
}

/** The checks of each request. Creating writes a copy of the document. */
function checksFor(grant: Grant, document: StoredDocument, memberships: Memberships): Record<RightsAction, () => void> {
  const checkDocument = (kind: PermissionKind) => {
    requireGranted(grant, kind)
    requireAllowed(grant, kind, document, memberships)
  }
  return {
    create() {
      requireGranted(grant, 'create')
      requireCreatable(grant, [document.id], memberships)
    },
    list: () => requireGranted(grant, 'read'),
    get: () => checkDocument('read'),
    update: () => checkDocument('update'),
    delete: () => checkDocument('delete'),
  }
}

function requireVerified({ settings }: Project, { user }: Caller, action: RightsAction): void {
  const writes = action !== 'list' && action !== 'get'
  if (writes && settings.requireVerifiedEmail && user?.isVerified === false) throw plainError('EMAIL_NOT_VERIFIED')
}

function toRefusal(error: SvcError): Cell {
  const { code, message, reason } = error
  const wanted = reason?.kind === 'permission' ? ` Needs ${formatChoice(reason.wanted)}.` : ''
  return { status: httpStatus(error), code, reason: `${message}${wanted}` }
}

function explainGrant(grant: Grant, action: RightsAction, document: StoredDocument, memberships: Memberships): string {
  const kind = action === 'list' || action === 'get' ? 'read' : action
  const { caller, collection } = grant
  const wanted = collection.permissions[kind] ?? []
  if (caller.secret) return 'The secret key has every permission.'
  if (wanted.length === 0) return 'Open to everyone with a key.'
  const role = callerRoles(caller).find((one) => wanted.includes(one))
  if (role !== undefined)
    return role === authenticatedWord ? 'Open to every signed-in user.' : `Has the role "${role}".`
  const words = wanted.filter(isOfDocument)
  if (action !== 'list') return explainWord(grant, document, memberships)
  const isListed = allows(grant, 'read', document, memberships)
  return `Lists only documents that ${formatChoice(words)} covers. This document is ${isListed ? '' : 'not '}among them.`
}

function explainWord({ caller }: Grant, { id, createdBy }: StoredDocument, memberships: Memberships): string {
  const paths = [...(memberships.get(id) ?? [])]
  if (paths.length > 0) return `Is a member by ${formatChoice(paths)}.`
  return createdBy === caller.user?.id ? 'Is the owner of the document.' : 'Allowed.'
}

function formatChoice(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(' or ')
}
