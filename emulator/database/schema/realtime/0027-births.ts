/** The newest number as a collection was made: all its changes are behind it, whatever the project was trimmed or reset before. */
import { sql } from '../../port.js'
import type { Migration } from '../migration.js'

export const births: Migration = {
  number: 27,
  name: 'births of collections',
  // A table of its own: rows of collections are recognised by their text, by an undo too.
  statements: [
    sql`create table births (
      collection_id uuid primary key references collections on delete cascade,
      after bigint not null
    )`,
  ],
}
