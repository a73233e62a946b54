/** Tables of mail, and of the secrets that mails carry. */
import { sql } from '../port.js'
import type { Migration } from './migration.js'

export const mails: Migration = {
  number: 4,
  name: 'mails and one-time tokens',
  statements: [
    sql`create table mails (
      id uuid primary key,
      project_id text not null references projects on delete cascade,
      recipient text not null,
      subject text not null,
      text_body text not null,
      html_body text not null,
      raw text not null,
      created_at timestamptz(3) not null
    )`,
    sql`create index mails_in_order on mails (project_id, id)`,
    // One secret of a purpose at a time: a new one takes the place of the old. It counts for the address it was mailed to.
    sql`create table one_time_tokens (
      user_id uuid not null references users on delete cascade,
      purpose text not null,
      email text not null,
      token_hash text not null unique,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      primary key (user_id, purpose)
    )`,
  ],
}
