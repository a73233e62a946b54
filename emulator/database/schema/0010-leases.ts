/** What one process at a time may do, until it gives it back or dies. */
import { sql } from '../port.js'
import type { Migration } from './migration.js'

export const leases: Migration = {
  number: 10,
  name: 'leases',
  statements: [
    sql`create table leases (
      name text primary key,
      holder uuid not null,
      expires_at timestamptz(3) not null
    )`,
  ],
}
