/** The fields of a collection's schema stay in the order in which they were given. */
import { sql } from '../port.js'
import type { Migration } from './migration.js'

export const schemaOrder: Migration = {
  number: 23,
  name: 'the order of fields in schemas',
  statements: [
    // jsonb sorts keys by their length. What is there is written as it was read before, so that undo recognises its rows.
    sql`alter table collections alter column schema type json using schema::json`,
  ],
}
