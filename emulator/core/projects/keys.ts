/** Keys of projects: made, listed and revoked by the owner. */
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
import { hashOf } from '../hashes.js'
import { type ApiKey, unscoped } from '../identity.js'
import { identityChanged, inTransaction, makingRoom, publish, unitOf } from '../unit-of-work.js'
import { requireProject } from './require-project.js'

/** What a new key is to be; left out, a public one without a name that expires never and does all that a public one may. */
export interface KeyWish {
  readonly secret?: boolean | undefined
  readonly name?: string | null | undefined
  readonly scopes?: readonly string[] | null | undefined
  readonly expiresInSeconds?: number | undefined
}

/** One more key of a project. A secret one is shown this once. @throws {SvcError} `NOT_FOUND` */
export async function createKey(
  backend: Backend,
  project: string,
  { secret = false, name = null, scopes = null, expiresInSeconds }: KeyWish = {},
): Promise<ApiKey & { readonly key: string }> {
  const now = backend.now(project)
  const key = newKey(secret)
  const expiresAt =
    expiresInSeconds === undefined ? null : new Date(now.getTime() + expiresInSeconds * 1_000).toISOString()
  const granted: ApiKey = { id: backend.newId(now), secret, name, scopes, expiresAt }
  await requireProject(backend, project)
  await backend.keyring.changing(async () => {
    await inTransaction(unitOf(backend), async (unit) => {
      await insertKey(unit.db, project, keptKey(granted, key), now.toISOString())
      await audit(unit, { project, operation: 'key.created', subject: { key: granted.id } })
    })
    await keepKeys(backend, project)
  })
  return { ...granted, key }
}

/** Takes a key away: what was opened with it ends. @throws {SvcError} `NOT_FOUND` */
export async function revokeKey(backend: Backend, project: string, id: string): Promise<void> {
  const notFound = new SvcError('NOT_FOUND', `No key "${id.slice(0, 80)}".`)
  if (!isId(id)) throw notFound
  const revoke = () =>
    inTransaction(makingRoom(unitOf(backend)), async (unit) => {
      const isGone = await deleteKey(unit.db, project, id)
      publish(unit, identityChanged())
      if (isGone) await audit(unit, { project, operation: 'key.revoked', subject: { key: id } })
      return isGone
    })
  const isGone = await backend.keyring.changing(() =>
    outOfFolder(backend, project, () => keepKeys(backend, project, id), revoke),
  )
  if (!isGone) throw notFound
}

/** The keys of a project, the oldest first. A secret one is not readable. @throws {SvcError} `NOT_FOUND` */
export async function listKeys(backend: Backend, project: string): Promise<ListedKey[]> {
  await requireProject(backend, project)
  await backend.keyUses.write()
  return selectKeys(backend.db, project)
}

/**
 * Takes keys out of the folder, then out of the database: what the folder has kept comes back at the next start. Where the database
 * has surely kept them, so does the folder.
 */
export async function outOfFolder<Result>(
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
      await keyring.keep(project, before).catch((fault) => report('keys of the folder', fault))
    }
    throw error
  })
}

/** Where the data are the folder's, so are all of their keys, but for one that is about to be taken away. */
async function keepKeys({ db, keyring }: Backend, project: string, removed?: string): Promise<void> {
  if (!keyring.hasData || (await keyring.keysOf(project)).length === 0) return
  const keys = await selectProjectKeys(db, project)
  await keyring.keep(
    project,
    keys.filter(({ id }) => id !== removed),
  )
}

/** A public and a secret key, as they are shown and as they are kept. */
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

/** A public key stays readable; of a secret one only the hash is kept. */
function keptKey(granted: ApiKey, key: string): ProjectKey {
  return { ...granted, hash: hashOf(key), readable: granted.secret ? null : key }
}
