/** Creates, lists and revokes the keys of projects. */
import { randomBytes } from 'node:crypto'
import { isId } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { DatabaseError } from '../../database/port.js'
import {
  deleteKey,
  insertKey,
  type ListedKey,
  type ProjectKey,
  selectKeys,
  selectProjectKeys,
} from '../../store/projects.js'
import { audit } from '../audit/audit-log.js'
import type { Backend } from '../context.js'
import { hashSecret } from '../hashes.js'
import { type ApiKey, unscoped } from '../identity.js'
import { identityChanged, inTransaction, makingRoom, publish, unitFor } from '../unit-of-work.js'
import { requireProject } from './require-project.js'

/** Options for a new key. By default it is public, has no name and no scopes, and never expires. */
export interface KeyOptions {
  readonly secret?: boolean | undefined
  readonly name?: string | null | undefined
  readonly scopes?: readonly string[] | null | undefined
  readonly expiresInSeconds?: number | undefined
}

/** Creates another key for a project. Returns a secret key only this once. @throws {SvcError} `NOT_FOUND` */
export async function createKey(
  backend: Backend,
  project: string,
  { secret = false, name = null, scopes = null, expiresInSeconds }: KeyOptions = {},
): Promise<ApiKey & { readonly key: string }> {
  const now = backend.now(project)
  const key = newKey(secret)
  const expiresAt =
    expiresInSeconds === undefined ? null : new Date(now.getTime() + expiresInSeconds * 1_000).toISOString()
  const granted: ApiKey = { id: backend.newId(now), secret, name, scopes, expiresAt }
  await requireProject(backend, project)
  await backend.keyring.changing(async () => {
    await inTransaction(unitFor(backend), async (unit) => {
      await insertKey(unit.db, project, keptKey(granted, key), now.toISOString())
      await audit(unit, { project, operation: 'key.created', subject: { key: granted.id } })
    })
    await keepKeys(backend, project)
  })
  return { ...granted, key }
}

/** Revokes a key and ends everything opened with it. @throws {SvcError} `NOT_FOUND` */
export async function revokeKey(backend: Backend, project: string, id: string): Promise<void> {
  const notFound = new SvcError('NOT_FOUND', `No key "${id.slice(0, 80)}".`)
  if (!isId(id)) throw notFound
  const revoke = () =>
    inTransaction(makingRoom(unitFor(backend)), async (unit) => {
      const isGone = await deleteKey(unit.db, project, id)
      publish(unit, identityChanged())
      if (isGone) await audit(unit, { project, operation: 'key.revoked', subject: { key: id } })
      return isGone
    })
  const isGone = await backend.keyring.changing(() =>
    removeFromFolder(backend, project, () => keepKeys(backend, project, id), revoke),
  )
  if (!isGone) throw notFound
}

/** Lists the keys of a project, oldest first. Secret keys are not readable. @throws {SvcError} `NOT_FOUND` */
export async function listKeys(backend: Backend, project: string): Promise<ListedKey[]> {
  await requireProject(backend, project)
  await backend.keyUses.write()
  return selectKeys(backend.db, project)
}

/**
 * Removes keys from the folder first, then from the database, because keys left in the folder come back at the next
 * start. Restores them in the folder if the database certainly kept them.
 */
export async function removeFromFolder<Result>(
  { keyring, report }: Backend,
  project: string,
  takeOut: () => Promise<void>,
  work: () => Promise<Result>,
): Promise<Result> {
  const before = keyring.hasData ? await keyring.keysOf(project) : []
  if (before.length > 0) await takeOut()
  return work().catch(async (error) => {
    const isUnknown = error instanceof DatabaseError && error.kind === 'unknown outcome'
    if (before.length > 0 && !isUnknown) {
      await keyring.keep(project, before).catch((fault) => report('folder keys', fault))
    }
    throw error
  })
}

/** Saves all keys of a project in the folder that has its data, except one about to be removed. */
async function keepKeys({ db, keyring }: Backend, project: string, removed?: string): Promise<void> {
  if (!keyring.hasData || (await keyring.keysOf(project)).length === 0) return
  const keys = await selectProjectKeys(db, project)
  await keyring.keep(
    project,
    keys.filter(({ id }) => id !== removed),
  )
}

/** Generates a public and a secret key, as text and as rows. */
export function drawKeys({ newId, clocks }: Backend) {
  const now = clocks.service.now()
  const apiKey = newKey(false)
  const secretKey = newKey(true)
  const keys = [
    keptKey({ id: newId(now), secret: false, ...unscoped }, apiKey),
    keptKey({ id: newId(now), secret: true, ...unscoped }, secretKey),
  ]
  return { apiKey, secretKey, keys }
}

function newKey(secret: boolean): string {
  return `${secret ? 'svc_secret_' : 'svc_key_'}${randomBytes(18).toString('base64url')}`
}

/** Stores a public key as text, and only the hash of a secret key. */
function keptKey(granted: ApiKey, key: string): ProjectKey {
  return { ...granted, hash: hashSecret(key), readable: granted.secret ? null : key }
}
