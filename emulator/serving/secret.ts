/**
 * Checks that all processes use the same secret. The database stores its fingerprint, from which the secret cannot be
 * derived.
 */
import { createHmac } from 'node:crypto'
import type { Database } from '../database/port.js'
import { refuseStart } from '../database/postgres/server.js'
import { StartError } from '../database/start-error.js'
import { listenerName } from '../ports/bus/outgoing.js'
import { countListeners } from '../store/realtime/notifications.js'
import { ensureFingerprint, replaceFingerprint, selectFingerprint } from '../store/served-secret.js'
import { requireSecret, type ServeConfig } from './config.js'

const problem = "SVC_SECRET differs from the secret that this database's user tokens are signed with."
const remedy =
  'Use the same secret as the other processes. To change it, or to use a copy of the database, stop all processes and run `svc serve rotate`.'

/** Saves the fingerprint at the first start. @throws {StartError} `SECRET_DIFFERENT` */
export async function requireSameSecret(db: Database, secret: string): Promise<void> {
  const own = computeFingerprint(secret)
  if ((await ensureFingerprint(db, own)) !== own) throw new StartError('SECRET_DIFFERENT', problem, remedy)
}

/** Checks whether a start would be refused, and changes nothing. @throws {StartError} `SECRET_DIFFERENT` */
export async function checkSameSecret(db: Database, secret: string): Promise<void> {
  const kept = await selectFingerprint(db)
  if (kept !== undefined && kept !== computeFingerprint(secret))
    throw new StartError('SECRET_DIFFERENT', problem, remedy)
}

export interface RotatedSecret {
  /** Whether the secret has changed. */
  readonly isReplaced: boolean
  /** Running processes that started with the old secret, whose signatures the others refuse. */
  readonly stillServing: number
}

type SecretConfig = Pick<ServeConfig, 'databaseUrl' | 'databaseListenUrl' | 'secret'>

/** Makes the configured secret the one that processes must start with. @throws {StartError} */
export async function rotateSecret({ databaseUrl, databaseListenUrl, secret }: SecretConfig): Promise<RotatedSecret> {
  requireSecret('SVC_SECRET', secret)
  const { openPostgres } = await import('../database/postgres/postgres.js')
  const db = await openPostgres({ url: databaseUrl, directUrl: databaseListenUrl })
  try {
    const kept = await selectFingerprint(db).catch(refuseStart)
    // Without a fingerprint, the next start saves one.
    const isReplaced = kept !== undefined && (await replaceFingerprint(db, computeFingerprint(secret)))
    return { isReplaced, stillServing: isReplaced ? await countListeners(db, listenerName) : 0 }
  } finally {
    await db.close()
  }
}

/** Uses 128 bits, enough to tell secrets apart. Secrets are random, so brute force cannot find one. */
function computeFingerprint(secret: string): string {
  return createHmac('sha256', secret).update('fingerprint').digest('base64url').slice(0, 22)
}
