/** Indexes over several fields, and what people want to know of each. */
import { sql } from '../port.js'
import type { Migration } from './migration.js'

export const indexUses: Migration = {
  number: 14,
  name: 'indexes over several fields, with their uses and reasons',
  statements: [
    sql`alter table field_indexes
      add column equal jsonb not null default '[]',
      add column uses bigint not null default 0,
      add column reason text not null default ''`,
  ],
}
