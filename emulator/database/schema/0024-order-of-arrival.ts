/** What came first is known of snapshots and mails whatever a clock was moved to. */
import { sql } from '../port.js'
import type { Migration } from './migration.js'

export const orderOfArrival: Migration = {
  number: 24,
  name: 'the order in which snapshots and mails came',
  statements: [
    // What is there already is numbered as it lies in its table. The next migration puts it in order.
    sql`alter table snapshots add column position bigint generated always as identity`,
    sql`alter table mails add column position bigint generated always as identity`,
    sql`create index mails_by_position on mails (position)`,
  ],
}
