/** Settings of a collection besides its fields: uniqueness over several fields, and the field shown for a document. */
import { sql } from '../port.js'
import type { Migration } from './migrations.js'

export const schemaRules: Migration = {
  number: 101,
  name: 'schema rules',
  statements: [
    // jsonb, because snapshots compare columns with "is not distinct from". It keeps the order of arrays.
    sql`alter table collections add column unique_fields jsonb, add column title text`,
    // Deletions look for links to their collection. Nearly always this index is empty.
    sql`create index collections_with_on_delete on collections (project_id) where schema::text like '%"onDelete"%'`,
  ],
}
