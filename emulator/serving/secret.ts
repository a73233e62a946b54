/** Whether all processes have the same secret: the database keeps its fingerprint, from which the secret cannot be derived. */
import { createHmac } from 'node:crypto'
import type { Database } from '../database/port.js'
import { refuseStart } from '../database/postgres/server.js'
import { StartError } from '../database/start-error.js'
import { listenerName } from '../ports/bus/outgoing.js'
import { countListeners } from '../store/realtime/notifications.js'
import { ensureFingerprint, replaceFingerprint, selectFingerprint } from '../store/served-secret.js'
import { requireSecret, type ServeConfig } from './config.js'

const isDifferent = 'SVC_SECRET is not the one that the users of this database are logged in with.'
const remedy =
  'Take the one that the other processes have. To change it, or for a copy of the database: stop all processes, and run `svc serve rotate`.'

/** Keeps the fingerprint at the first start. @throws {StartError} `SECRET_DIFFERENT` */
export async function requireSameSecret(db: Database, secret: string): Promise<void> {
  const own = fingerprintOf(secret)
  if ((await ensureFingerprint(db, own)) !== own) throw new StartError('SECRET_DIFFERENT', isDifferent, remedy)
}

/** Whether a start would be refused; nothing is changed. @throws {StartError} `SECRET_DIFFERENT` */
export async function checkSameSecret(db: Database, secret: string): Promise<void> {
  const kept = await selectFingerprint(db)
  if (kept !== undefined && kept !== fingerprintOf(secret))
    throw new StartError('SECRET_DIFFERENT', isDifferent, remedy)
}

export interface RotatedSecret {
  /** Whether it is another one than before. */
  readonly isReplaced: boolean
  /** Processes that have started with the former one and still run: what they sign, the others refuse. */
  readonly stillServing: number
}

type Place = Pick<ServeConfig, 'databaseUrl' | 'databaseListenUrl' | 'secret'>

/** Has the secret of this configuration be the one that processes start with from now on. @throws {StartError} */
export async function rotateSecret({ databaseUrl, databaseListenUrl, secret }: Place): Promise<RotatedSecret> {
  requireSecret('SVC_SECRET', secret)
  const { openPostgres } = await import('../database/postgres/postgres.js')
  const db = await openPostgres({ url: databaseUrl, directUrl: databaseListenUrl })
  try {
    const kept = await selectFingerprint(db).catch(refuseStart)
    // Where none is kept, the next start keeps its own.
    const isReplaced = kept !== undefined && (await replaceFingerprint(db, fingerprintOf(secret)))
    return { isReplaced, stillServing: isReplaced ? await countListeners(db, listenerName) : 0 }
  } finally {
    await db.close()
  }
}

/** 128 bits: enough to tell secrets apart. A secret is random, so that none is found by trying. */
function fingerprintOf(secret: string): string {
  return createHmac('sha256', secret).update('fingerprint').digest('base64url').slice(0, 22)
}
