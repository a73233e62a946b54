/** The table of files. Their bytes are elsewhere, under their ids. */
import { sql } from '../port.js'
import type { Migration } from './migration.js'

/**
 * A file that does not stay by itself lives as long as its owner does. One whose owner is gone is orphaned: it cannot
 * be seen any more, and its row waits until the bytes are removed.
 */
export const files: Migration = {
  number: 3,
  name: 'files',
  statements: [
    sql`create table files (
      id uuid primary key,
      project_id text not null references projects on delete cascade,
      name text not null,
      path text collate "C" not null,
      size bigint not null,
      mime_type text not null,
      stays boolean not null,
      document_id uuid references documents on delete set null,
      collection_id uuid,
      user_id uuid references users on delete set null,
      created_at timestamptz(3) not null
    )`,
    sql`create index files_in_order on files (project_id, id)`,
    sql`create index files_by_path on files (project_id, path)`,
    sql`create index files_of_documents on files (document_id) where document_id is not null`,
    sql`create index files_of_collections on files (collection_id) where collection_id is not null`,
    sql`create index files_of_users on files (user_id) where user_id is not null`,
    sql`create index files_of_nobody on files (project_id) where not stays and document_id is null and user_id is null`,
    // Orphaned files count until their bytes are gone; whatever reads the totals takes them off.
    sql`create table file_totals (
      project_id text primary key references projects on delete cascade,
      files bigint not null,
      bytes bigint not null
    ) with (fillfactor = 10)`,
    sql`insert into file_totals (project_id, files, bytes) select id, 0, 0 from projects`,
    // Bytes are kept under this id, so that no other database takes them for its own. Drawn at the first start.
    sql`create table file_place (
      is_only boolean primary key default true check (is_only),
      id uuid not null
    )`,
  ],
}
