/** Elects the process that does the work that only one process per database should do. */
import { randomUUID } from 'node:crypto'
import type { Database } from '../database/port.js'
import { deleteLease, upsertLease } from '../store/leases.js'

export interface Leader {
  /** Whether this process leads now and for the length of a lease. */
  leads(): Promise<boolean>
  /** Releases the lease for the next process. */
  close(): Promise<void>
}

/** Longer than the minute between rounds, so that a live leader stays leader. */
const leaseSeconds = 90

/** For a database that only one process can open. */
export const onlyProcess: Leader = { leads: async () => true, close: async () => undefined }

/**
 * Opens a lease in the database, by the database's clock. Each call to `leads` renews it. Once the lease of a dead
 * leader has expired, another process takes over. A slow leader may be replaced too, so its work must be harmless if
 * two processes do it.
 */
export function openLease(db: Database, name: string): Leader {
  const holder = randomUUID()
  return {
    leads: () => upsertLease(db, { name, holder, seconds: leaseSeconds }),
    // Ignores errors, because the lease expires without the database too.
    close: () => deleteLease(db, { name, holder }).catch(() => undefined),
  }
}
