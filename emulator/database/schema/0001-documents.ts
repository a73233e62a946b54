/** The tables of projects, collections, documents and their changes, and what migrations after it build on. */
import { sql } from '../port.js'
import type { Migration } from './migration.js'

/**
 * The two counters are rows of their own, narrow and in half-empty pages, since each write updates them.
 * Documents have no foreign key to their collection: the row of `document_counts` is locked by every insert and by
 * the removal of the collection, which keeps the same promise at a lower price.
 */
export const documents: Migration = {
  number: 1,
  name: 'projects, collections, documents and changes',
  statements: [
    sql`create table projects (
      id text primary key,
      name text not null,
      settings jsonb not null,
      created_at timestamptz(3) not null
    )`,
    sql`create table project_keys (
      key_hash text primary key,
      project_id text not null references projects on delete cascade,
      id uuid not null,
      secret boolean not null,
      key text,
      created_at timestamptz(3) not null
    )`,
    sql`create table collections (
      id uuid primary key,
      project_id text not null references projects on delete cascade,
      name text not null,
      schema jsonb not null,
      permissions jsonb not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      unique (project_id, name)
    )`,
    sql`create table document_counts (
      collection_id uuid primary key,
      documents bigint not null,
      is_removed boolean not null default false
    ) with (fillfactor = 10)`,
    sql`create table documents (
      id uuid primary key,
      collection_id uuid not null,
      data jsonb not null,
      version integer not null default 1,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`,
    sql`create index documents_in_order on documents (collection_id, id)`,
    // The list of entries that wait for their place is short, since every search reads all of them.
    sql`create index documents_data on documents using gin (data jsonb_path_ops) with (gin_pending_list_limit = 512)`,
    sql`create table sequences (
      project_id text primary key references projects on delete cascade,
      last_seq bigint not null
    ) with (fillfactor = 10)`,
    sql`create table changes (
      project_id text not null,
      seq bigint not null,
      kind text not null,
      collection_id uuid not null,
      document_id uuid not null,
      version integer not null,
      data jsonb not null,
      before jsonb,
      recorded_at timestamptz(3) not null,
      primary key (project_id, seq)
    )`,
    sql`create table idempotency (
      project_id text not null references projects on delete cascade,
      scope text not null,
      body_hash text not null,
      status integer not null,
      headers jsonb not null,
      answer text not null,
      created_at timestamptz(3) not null,
      primary key (project_id, scope)
    )`,
    // An answer to a large batch is read again only if it was lost: packing it would cost each batch more than its rows.
    sql`alter table idempotency alter column answer set storage external`,
    sql`create table field_indexes (
      name text primary key,
      collection_id uuid not null,
      path jsonb not null,
      kind text not null,
      made_at timestamptz(3) not null,
      used_at timestamptz(3) not null
    )`,
    sql`create function record_ids(link jsonb) returns uuid[] language sql immutable parallel safe as $$
      select coalesce(array_agg(id::uuid), '{}')
      from jsonb_array_elements_text(
        case jsonb_typeof(link) when 'array' then link when 'string' then jsonb_build_array(link) else '[]' end
      ) as linked (id)
      where id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
    $$`,
  ],
}
