import { type Database, DatabaseError, type Fragment, sql } from '../port.js'
import { accountsMigration } from './accounts-migration.js'
import { fileAudiencesMigration } from './file-audiences-migration.js'
import { filesMigration } from './files-migration.js'
import { identityMigration } from './identity-migration.js'
import { mailMigration } from './mail-migration.js'
import { orderMigration } from './order-migration.js'
import { realtimeMigration } from './realtime-migration.js'
import { usersMigration } from './users-migration.js'

interface Migration {
  readonly number: number
  readonly name: string
  readonly statements: readonly Fragment[]
}

/**
 * Every change of the tables, oldest first; what has landed is never edited.
 *
 * The two counters are rows of their own, narrow and in half-empty pages, since each write updates them.
 * Documents have no foreign key to their collection: the row of `document_counts` is locked by every insert and by
 * the removal of the collection, which keeps the same promise at a lower price.
 */
export const migrations: readonly Migration[] = [
  {
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
  },
  {
    number: 2,
    name: 'users, sessions and second factors',
    statements: usersMigration,
  },
  {
    number: 3,
    name: 'files',
    statements: filesMigration,
  },
  {
    number: 4,
    name: 'mails and one-time tokens',
    statements: mailMigration,
  },
  {
    number: 5,
    name: 'logins through identity providers',
    statements: identityMigration,
  },
  {
    number: 6,
    name: 'changes of collections, and tickets for streams',
    statements: realtimeMigration,
  },
  {
    number: 7,
    name: 'throttled logins, trusted roles, refused mails, and logins bound to a browser',
    statements: accountsMigration,
  },
  {
    number: 8,
    name: 'who files are listed to',
    statements: fileAudiencesMigration,
  },
  {
    number: 9,
    name: 'the order of values by code point',
    statements: orderMigration,
  },
]

/** What the migrations themselves stand on. */
const preparations = [
  sql`create schema if not exists svc`,
  sql`create extension if not exists pg_trgm`,
  sql`create table if not exists svc.migrations (
    number integer primary key,
    name text not null,
    made_at timestamptz not null default now()
  )`,
]

/** The number that a database is at once every migration has run. */
const newestMigration = migrations.at(-1)?.number ?? 0

/** A database that a newer version of the service has changed. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError'
}

/**
 * Brings a database up to date, each migration in a transaction of its own, one process at a time.
 *
 * @throws {NewerDatabaseError} and changes nothing.
 */
export async function migrate(db: Database): Promise<void> {
  // Nearly every start finds nothing to do.
  if ((await newestIn(db).catch(noneYet)) === newestMigration) return
  for (const preparation of preparations) await db.query(preparation).catch(ignoreRace)
  for (const { number, name, statements } of migrations) {
    await db.transaction(async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(7163, 1)::text`)
      const newest = await newestIn(tx)
      if (newest > newestMigration)
        throw new NewerDatabaseError(`The database is at version ${newest}; this svc knows ${newestMigration}.`)
      if (newest >= number) return
      for (const statement of statements) await tx.query(statement)
      await tx.query(sql`insert into svc.migrations (number, name) values (${number}::int, ${name})`)
    })
  }
}

async function newestIn(db: Database): Promise<number> {
  const [row] = await db.query<{ newest: number }>(sql`select coalesce(max(number), 0) as newest from svc.migrations`)
  return row?.newest ?? 0
}

/** A database that no migration has touched. */
function noneYet(error: unknown): number {
  if (error instanceof DatabaseError && ['42P01', '3F000'].includes(error.sqlState)) return 0
  throw error
}

/** A row of the catalog, a schema, a table, a type or an extension. */
const alreadyThere = ['23505', '42P06', '42P07', '42710']

/** Two processes that start at once may both create what was not there. */
function ignoreRace(error: unknown): never[] {
  if (error instanceof DatabaseError && alreadyThere.includes(error.sqlState)) return []
  throw error
}
