/** Tables of logins through an identity provider, and of the built-in provider's own accounts. */
import { sql } from '../port.js'
import type { Migration } from './migration.js'

export const identityProviders: Migration = {
  number: 5,
  name: 'logins through identity providers',
  statements: [
    // One login on its way: what only the service knows of it. It is taken out when the provider sends the browser back.
    sql`create table idp_logins (
      state_hash text primary key,
      project_id text not null references projects on delete cascade,
      provider text not null,
      verifier text not null,
      nonce text not null,
      redirect_url text not null,
      complete_url text,
      expires_at timestamptz(3) not null
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
  ],
}
