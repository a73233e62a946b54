/** All tables, as of the first release that promises to migrate them. */
import { sql } from '../port.js'
import { createInOrder } from './in-order.js'
import { instants } from './instants.js'

const projects = [
  sql`create table projects (
    id text primary key,
    name text not null,
    settings jsonb not null,
    created_at timestamptz(3) not null,
    -- Two random UUIDs: 244 bits that sign the tokens of this project alone.
    token_secret text not null default replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')
  )`,
  sql`create table project_keys (
    key_hash text primary key,
    project_id text not null references projects on delete cascade,
    id uuid not null,
    secret boolean not null,
    key text,
    created_at timestamptz(3) not null,
    name text,
    scopes jsonb,
    expires_at timestamptz(3),
    last_used_at timestamptz(3)
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
  // Stores answers uncompressed: they are only read again if lost, and compressing one would cost a batch more than its
  // rows.
  sql`alter table idempotency alter column answer set storage external`,
  sql`create index idempotency_by_time on idempotency (created_at)`,
  // Ordered by position, however the clock was moved. An entry outlives its project.
  sql`create table audit_entries (
    position bigint generated always as identity primary key,
    project_id text not null,
    operation text not null,
    actor jsonb not null,
    subject jsonb not null,
    request_id text,
    recorded_at timestamptz(3) not null
  )`,
  sql`create index audit_entries_of_project on audit_entries (project_id, position)`,
  sql`create index audit_entries_by_time on audit_entries (recorded_at)`,
]

/**
 * Counters are separate, narrow rows in half-empty pages, because each write updates them. Documents have no foreign
 * key to their collection. Every insert and the removal of the collection lock its row in `document_counts`, which is
 * as safe and cheaper.
 */
const documents = [
  sql`create table collections (
    id uuid primary key,
    project_id text not null references projects on delete cascade,
    name text not null,
    -- jsonb would sort the fields by the length of their names.
    schema json not null,
    permissions jsonb not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    unique (project_id, name)
  )`,
  // A separate table, because undo compares rows of collections by their text.
  sql`create table births (
    collection_id uuid primary key references collections on delete cascade,
    after bigint not null
  )`,
  // Names of removed collections. A client that was offline must not take a new collection of that name for the old
  // one.
  sql`create table left_names (
    project_id text not null references projects on delete cascade,
    name text not null,
    primary key (project_id, name)
  )`,
  sql`create table document_counts (
    collection_id uuid primary key,
    documents bigint not null,
    is_removed boolean not null default false
  ) with (fillfactor = 10)`,
  // Removing a collection changes a column of a unique index, so it waits for writers that hold the key. Counting
  // documents changes none, so it does not wait.
  sql`create unique index document_counts_open on document_counts (collection_id, is_removed)`,
  sql`create table documents (
    id uuid primary key,
    collection_id uuid not null,
    data jsonb not null,
    version integer not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    created_by uuid
  )`,
  sql`create index documents_in_order on documents (collection_id, id)`,
  // Keeps the pending list short, because every search reads all of it.
  sql`create index documents_data on documents using gin (data jsonb_path_ops) with (gin_pending_list_limit = 512)`,
  sql`create table field_indexes (
    name text primary key,
    collection_id uuid not null,
    path jsonb not null,
    kind text not null,
    made_at timestamptz(3) not null,
    used_at timestamptz(3) not null,
    equal jsonb not null default '[]',
    uses bigint not null default 0,
    reason text not null default ''
  )`,
  sql`create function record_ids(link jsonb) returns uuid[] language sql immutable parallel safe as $$
    select coalesce(array_agg(id::uuid), '{}')
    from jsonb_array_elements_text(
      case jsonb_typeof(link) when 'array' then link when 'string' then jsonb_build_array(link) else '[]' end
    ) as linked (id)
    where id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
  $$`,
  createInOrder,
]

const changes = [
  // A reset sets `kept_after`: clients with an earlier number have to start over.
  sql`create table sequences (
    project_id text primary key references projects on delete cascade,
    last_seq bigint not null,
    kept_after bigint not null default 0
  ) with (fillfactor = 10)`,
  // Changes of a collection itself have no document. `copies` holds the copies of this change and of those right before
  // it; `copies_ahead` is the distance to the change with this one's copies. A change with its copy in `data` has
  // neither.
  sql`create table changes (
    project_id text not null,
    seq bigint not null,
    kind text not null,
    collection_id uuid not null,
    document_id uuid,
    version integer,
    data jsonb,
    before jsonb,
    recorded_at timestamptz(3) not null,
    before_updated_at timestamptz(3),
    created_by uuid,
    before_created_by uuid,
    copies_ahead smallint,
    copies jsonb,
    primary key (project_id, seq)
  )`,
  // Concurrent writers queue their changes here without locking a shared row. A position is drawn while the writer
  // holds the document, so the later of two changes of one document has the greater position.
  sql`create table pending_changes (
    project_id text not null,
    position bigint generated always as identity,
    kind text not null,
    collection_id uuid not null,
    document_id uuid,
    version integer,
    data jsonb,
    before jsonb,
    before_updated_at timestamptz(3),
    recorded_at timestamptz(3) not null,
    created_by uuid,
    before_created_by uuid,
    primary key (project_id, position)
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000)`,
  // Numbers changes in one call, so that no process holds the project's row while it does something else. Returns null
  // if another transaction holds the row for longer than the patience. The planner takes `pending_changes` for empty
  // and would run a subquery for each row. So the batch is an array, which is built once, and the index is read in
  // order.
  sql`create function number_changes(of_project text, most integer, patience_milliseconds integer) returns integer
    language plpgsql set enable_seqscan = off as $$
    declare
      until timestamptz := clock_timestamp() + patience_milliseconds * interval '1 millisecond';
      found_changes integer;
    begin
      loop
        perform from svc.sequences where project_id = of_project for update skip locked;
        exit when found;
        if not exists (select from svc.sequences where project_id = of_project) then
          return 0;
        end if;
        if clock_timestamp() > until then
          return null;
        end if;
        perform pg_sleep(0.002);
      end loop;
      with taken as (
        delete from svc.pending_changes
        where project_id = of_project and position = any (array(
          select position from svc.pending_changes where project_id = of_project order by position limit most
        ))
        returning position, kind, collection_id, document_id, version, data, before, before_updated_at, created_by,
          before_created_by, recorded_at
      ), numbered as (
        insert into svc.changes (project_id, seq, kind, collection_id, document_id, version, data, before,
          before_updated_at, created_by, before_created_by, recorded_at)
        select of_project, s.last_seq + row_number() over (order by t.position), t.kind, t.collection_id, t.document_id,
          t.version, t.data, t.before, t.before_updated_at, t.created_by, t.before_created_by, t.recorded_at
        from svc.sequences s, taken t
        where s.project_id = of_project
      ), counted as (
        update svc.document_counts c
        set documents = c.documents + a.added
        from (
          select collection_id, count(*) filter (where kind = 'created') - count(*) filter (where kind = 'deleted') as added
          from taken
          group by collection_id
        ) a
        where c.collection_id = a.collection_id and a.added <> 0
      ), found as (
        select count(*)::integer as changes from taken
      ), drawn as (
        update svc.sequences set last_seq = last_seq + found.changes from found
        where project_id = of_project and found.changes > 0
      )
      select changes into found_changes from found;
      return found_changes;
    end
  $$`,
  sql`create table realtime_tickets (
    ticket_hash text primary key,
    project_id text not null references projects on delete cascade,
    key_id uuid,
    session_id uuid,
    user_id uuid,
    expires_at timestamptz(3) not null
  )`,
]

/** Keeps secrets, which only the service reads, apart from the tables that lists and filters reach. */
const users = [
  sql`create table users (
    id uuid primary key,
    project_id text not null references projects on delete cascade,
    email text not null,
    email_key text not null,
    data jsonb not null,
    roles jsonb not null,
    oauth_provider text,
    oauth_id text,
    email_verified boolean not null,
    version integer not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    -- data.role as the owner wrote it while the project trusts it.
    trusted_role text
  )`,
  sql`create unique index users_email on users (project_id, email_key)`,
  sql`create unique index users_subject on users (project_id, oauth_provider, oauth_id) where oauth_id is not null`,
  sql`create index users_in_order on users (project_id, id)`,
  // Shows users to filters, sorting and populate: built-in fields win over fields of the same name in the data.
  sql`create view user_records as
    select id, project_id, version, created_at, updated_at,
      data || jsonb_build_object('email', email, 'roles', roles, 'oauth_id', oauth_id, 'email_verified', email_verified)
        as data
    from users`,
  sql`create table user_counts (
    project_id text primary key references projects on delete cascade,
    users bigint not null
  ) with (fillfactor = 10)`,
  sql`create table user_secrets (
    user_id uuid primary key references users on delete cascade,
    password_hash text,
    totp_secret text,
    pending_totp_secret text,
    totp_last_step bigint,
    recovery_hashes jsonb not null default '[]'
  )`,
  sql`create table sessions (
    id uuid primary key,
    project_id text not null references projects on delete cascade,
    user_id uuid not null references users on delete cascade,
    signed_in_at timestamptz(3) not null,
    expires_at timestamptz(3) not null
  )`,
  sql`create index sessions_of_user on sessions (user_id)`,
  sql`create index sessions_by_expiry on sessions (expires_at)`,
  // One login for each user that waits for its code. A correct password opens it.
  sql`create table pending_logins (
    user_id uuid primary key references users on delete cascade,
    code_hash text,
    wrong_codes integer not null,
    expires_at timestamptz(3) not null
  )`,
  // The last attempts, newest first. Expired rows are ignored.
  sql`create table recent_attempts (
    project_id text not null references projects on delete cascade,
    subject text not null,
    times timestamptz(3)[] not null,
    expires_at timestamptz(3) not null,
    primary key (project_id, subject)
  )`,
  sql`create index recent_attempts_by_expiry on recent_attempts (expires_at)`,
  // One token for each user and purpose: a new one replaces the old. It is valid for the address it was mailed to.
  sql`create table one_time_tokens (
    user_id uuid not null references users on delete cascade,
    purpose text not null,
    email text not null,
    token_hash text not null unique,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    primary key (user_id, purpose)
  )`,
  sql`create table mails (
    id uuid primary key,
    project_id text not null references projects on delete cascade,
    recipient text not null,
    subject text not null,
    text_body text not null,
    html_body text not null,
    raw text not null,
    created_at timestamptz(3) not null,
    -- Why it was not sent.
    refused text,
    position bigint generated always as identity
  )`,
  sql`create index mails_in_order on mails (project_id, id)`,
  sql`create index mails_by_position on mails (position)`,
  // Logins in progress. A row is deleted when the provider sends the browser back.
  sql`create table idp_logins (
    state_hash text primary key,
    project_id text not null references projects on delete cascade,
    provider text not null,
    verifier text not null,
    nonce text not null,
    redirect_url text not null,
    complete_url text,
    expires_at timestamptz(3) not null,
    login_url text,
    browser_hash text
  )`,
  sql`create index idp_logins_by_expiry on idp_logins (expires_at)`,
  sql`create table idp_accounts (
    id text primary key,
    name text not null,
    email text,
    email_verified boolean not null,
    claims jsonb not null,
    made_at timestamptz(3) not null default now()
  )`,
]

/**
 * The bytes of files are stored elsewhere, by id. A file that does not stay lives as long as its owner. When the owner
 * is gone, the file is an orphan: it is hidden, and its row waits until the bytes are removed. All files of an audience
 * are visible to the same callers. A collection's documents have one, each user has one, and the zero id has the files
 * without an owner. A file without an audience waits for its bytes to be removed. Triggers keep a count for each
 * audience, because a foreign key can also take away a file's owner.
 */
const files = [
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
    created_at timestamptz(3) not null,
    audience_id uuid generated always as (
      case
        when stays then '00000000-0000-0000-0000-000000000000'::uuid
        when document_id is not null then collection_id
        when user_id is not null then user_id
      end
    ) stored
  )`,
  sql`create index files_in_order on files (project_id, id)`,
  sql`create index files_by_path on files (project_id, path)`,
  sql`create index files_of_documents on files (document_id) where document_id is not null`,
  sql`create index files_of_collections on files (collection_id) where collection_id is not null`,
  sql`create index files_of_users on files (user_id) where user_id is not null`,
  sql`create index files_of_nobody on files (project_id) where not stays and document_id is null and user_id is null`,
  sql`create index files_of_audiences on files (project_id, audience_id, id) where audience_id is not null`,
  // Includes orphans until their bytes are gone; readers of the totals subtract them.
  sql`create table file_totals (
    project_id text primary key references projects on delete cascade,
    files bigint not null,
    bytes bigint not null
  ) with (fillfactor = 10)`,
  // The id under which bytes are stored, so that databases that share the storage do not mix them up. Drawn at the
  // first start.
  sql`create table file_place (
    is_only boolean primary key default true check (is_only),
    id uuid not null
  )`,
  sql`create table file_counts (
    project_id text not null references projects on delete cascade,
    audience_id uuid not null,
    files bigint not null,
    primary key (project_id, audience_id)
  ) with (fillfactor = 10)`,
  sql`create function count_files() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then
        update svc.file_counts c set files = c.files - gone.files
        from (
          select project_id, audience_id, count(*) as files from old_files
          where audience_id is not null
          group by project_id, audience_id
        ) as gone
        where c.project_id = gone.project_id and c.audience_id = gone.audience_id;
      end if;
      if tg_op <> 'DELETE' then
        insert into svc.file_counts as c (project_id, audience_id, files)
        select project_id, audience_id, count(*) from new_files
        where audience_id is not null
        group by project_id, audience_id
        order by project_id, audience_id
        on conflict (project_id, audience_id) do update set files = c.files + excluded.files;
      end if;
      if tg_op <> 'INSERT' then
        delete from svc.file_counts c using old_files o
        where c.project_id = o.project_id and c.audience_id = o.audience_id and c.files = 0;
      end if;
      return null;
    end
  $$`,
  sql`create trigger count_inserted after insert on files
    referencing new table as new_files for each statement execute function count_files()`,
  sql`create trigger count_updated after update on files
    referencing old table as old_files new table as new_files for each statement execute function count_files()`,
  sql`create trigger count_deleted after delete on files
    referencing old table as old_files for each statement execute function count_files()`,
]

/**
 * The contents of a snapshot are in tables named after its id, created when it is saved. The ids of its files are in
 * one shared table, which the removal of bytes checks.
 */
const snapshots = [
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
    position bigint generated always as identity,
    unique (project_id, name)
  )`,
  sql`create table snapshot_files (
    snapshot_id uuid not null references snapshots on delete cascade,
    file_id uuid not null,
    primary key (file_id, snapshot_id)
  )`,
  sql`create index snapshot_files_of_snapshots on snapshot_files (snapshot_id)`,
]

const processes = [
  // Locks that one process holds at a time, until it releases them or dies.
  sql`create table leases (
    name text primary key,
    holder uuid not null,
    expires_at timestamptz(3) not null
  )`,
  // Reservations of processes in rate limit windows. Unlogged, so that a reservation does not wait for the disk; a
  // crash of the server resets them.
  sql`create unlogged table rate_windows (
    name text not null,
    number bigint not null,
    most bigint not null,
    granted bigint not null,
    reserved bigint not null,
    expires_at timestamptz(3) not null,
    primary key (name, number)
  )`,
  // The fingerprint of the secret shared by all `svc serve` processes.
  sql`create table served_secret (
    is_only boolean primary key default true check (is_only),
    fingerprint text not null,
    since timestamptz(3) not null default now()
  )`,
]

export const baseline = {
  number: 100,
  name: 'baseline',
  statements: [...projects, ...documents, ...changes, ...users, ...files, ...snapshots, ...processes, ...instants],
}
