/** Which secret the processes of `svc serve` have in common, known again and not known: a fingerprint. */
import { sql } from '../../port.js'
import type { Migration } from '../migration.js'

export const servedSecret: Migration = {
  number: 20,
  name: 'fingerprint of the secret of svc serve',
  statements: [
    sql`create table served_secret (
      is_only boolean primary key default true check (is_only),
      fingerprint text not null,
      since timestamptz(3) not null default now()
    )`,
  ],
}
