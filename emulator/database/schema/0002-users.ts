/** Tables of users. Secrets, which only the service reads, are apart from what lists and filters reach. */
import { sql } from '../port.js'
import type { Migration } from './migration.js'

export const users: Migration = {
  number: 2,
  name: 'users, sessions and second factors',
  statements: [
    // Two random UUIDs: 244 bits that sign the tokens of this project alone.
    sql`alter table projects add column token_secret text not null
      default replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')`,
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
      updated_at timestamptz(3) not null
    )`,
    sql`create unique index users_email on users (project_id, email_key)`,
    sql`create unique index users_subject on users (project_id, oauth_provider, oauth_id) where oauth_id is not null`,
    sql`create index users_in_order on users (project_id, id)`,
    // A user as filters, sorting and populate see one: the own fields win over fields of these names in the data.
    sql`create view user_records as
      select id, project_id, version, created_at, updated_at,
        data || jsonb_build_object('email', email, 'roles', roles, 'oauth_id', oauth_id, 'email_verified', email_verified)
          as data
      from users`,
    sql`create table user_counts (
      project_id text primary key references projects on delete cascade,
      users bigint not null
    ) with (fillfactor = 10)`,
    sql`insert into user_counts (project_id, users) select id, 0 from projects`,
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
    // One login that waits for its code, by user: a correct password opens it.
    sql`create table pending_logins (
      user_id uuid primary key references users on delete cascade,
      code_hash text,
      wrong_codes integer not null,
      expires_at timestamptz(3) not null
    )`,
    // Failed attempts, by account and by address.
    sql`create table failed_guesses (
      project_id text not null references projects on delete cascade,
      subject text not null,
      failures integer not null,
      last_at timestamptz(3) not null,
      primary key (project_id, subject)
    )`,
  ],
}
