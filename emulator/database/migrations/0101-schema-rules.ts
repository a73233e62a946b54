/**
 * Settings of a collection besides its fields: uniqueness over several fields, and the field shown for a document. The
 * values of unique fields are in one table, because an index per collection would slow down every other collection.
 */
import { sql } from '../port.js'

export const schemaRules = {
  number: 101,
  name: 'schema rules',
  statements: [
    // jsonb, because snapshots compare columns with "is not distinct from". It keeps the order of arrays.
    sql`alter table collections add column unique_fields jsonb, add column title text`,
    // The unique rules that unique_values follows. Every write compares it, so that none misses a new rule.
    sql`alter table document_counts add column unique_rules text not null default ''`,
    sql`create table unique_values (
      collection_id uuid not null,
      rule text collate "C" not null,
      digest bytea not null,
      document_id uuid not null,
      primary key (collection_id, rule, digest)
    )`,
    sql`create index unique_values_of_documents on unique_values (document_id)`,
    // Deletions look for links to their collection. Nearly always this index is empty.
    sql`create index collections_with_on_delete on collections (project_id) where schema::text like '%"onDelete"%'`,
  ],
}
