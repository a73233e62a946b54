/** Named states of projects. */
import { sql } from '../port.js'
import type { Migration } from './migration.js'

/**
 * What a snapshot holds is in tables of its own, named for its id and made when it is saved. What must not be lost while it is
 * there, the bytes of its files, is in one table, by which the removal of bytes looks.
 */
export const snapshots: Migration = {
  number: 13,
  name: 'snapshots',
  statements: [
    sql`create table snapshots (
      id uuid primary key,
      project_id text not null references projects on delete cascade,
      name text not null,
      command text,
      branch text,
      commit text,
      made_at timestamptz(3) not null,
      schema_number integer not null,
      collections bigint not null,
      documents bigint not null,
      users bigint not null,
      files bigint not null,
      file_bytes bigint not null,
      bytes bigint not null,
      missing jsonb not null default '[]',
      is_settled boolean not null default false,
      unique (project_id, name)
    )`,
    sql`create table snapshot_files (
      snapshot_id uuid not null references snapshots on delete cascade,
      file_id uuid not null,
      primary key (file_id, snapshot_id)
    )`,
    sql`create index snapshot_files_of_snapshots on snapshot_files (snapshot_id)`,
  ],
}
