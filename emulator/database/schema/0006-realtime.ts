/** What realtime needs beside the changes themselves. */
import { sql } from '../port.js'
import type { Migration } from './migration.js'

export const realtime: Migration = {
  number: 6,
  name: 'changes of collections, and tickets for streams',
  statements: [
    // A change may be one of the collection itself: then no document is concerned.
    sql`alter table changes
      alter column document_id drop not null, alter column version drop not null, alter column data drop not null`,
    sql`create table realtime_tickets (
      ticket_hash text primary key,
      project_id text not null references projects on delete cascade,
      key_id uuid,
      session_id uuid,
      user_id uuid,
      expires_at timestamptz(3) not null
    )`,
  ],
}
