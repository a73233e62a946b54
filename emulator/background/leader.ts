/** Which of the processes on one database does what only one of them has to do. */
import { randomUUID } from 'node:crypto'
import type { Database } from '../database/port.js'
import { deleteLease, upsertLease } from '../store/leases.js'

export interface Leader {
  /** Whether this process leads, from now on for a while. */
  leads(): Promise<boolean>
  /** Leaves the lead to the next process that asks. */
  close(): Promise<void>
}

/** More than the minute between two rounds, so that a leader that is alive stays one. */
const leaseSeconds = 90

/** For a database that only one process can open. */
export const onlyProcess: Leader = { leads: async () => true, close: async () => undefined }

/**
 * A lease in the database, by the database's clock: each question renews it. A leader that dies is replaced once its lease has
 * expired. One that only takes long may be replaced as well, so what the leader does must be harmless when two do it.
 */
export function openLease(db: Database, name: string): Leader {
  const holder = randomUUID()
  return {
    leads: () => upsertLease(db, { name, holder, seconds: leaseSeconds }),
    // Where the database is away, it expires by itself.
    close: () => deleteLease(db, { name, holder }).catch(() => undefined),
  }
}
