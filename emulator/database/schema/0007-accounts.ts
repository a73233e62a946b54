/** What accounts came to need after their first tables: exact throttling, roles by the owner, logins bound to a browser. */
import { sql } from '../port.js'
import type { Migration } from './migration.js'

export const accounts: Migration = {
  number: 7,
  name: 'throttled logins, trusted roles, refused mails, and logins bound to a browser',
  statements: [
    sql`drop table failed_guesses`,
    // The last attempts, the newest first. The row is worth nothing once it has expired.
    sql`create table recent_attempts (
      project_id text not null references projects on delete cascade,
      subject text not null,
      times timestamptz(3)[] not null,
      expires_at timestamptz(3) not null,
      primary key (project_id, subject)
    )`,
    sql`create index recent_attempts_by_expiry on recent_attempts (expires_at)`,
    // data.role as the owner wrote it while the project trusts it. Of what is there already nobody knows who wrote it: the owner
    // writes it once more.
    sql`alter table users add column trusted_role text`,
    // Why a mail was not sent.
    sql`alter table mails add column refused text`,
    // Where a browser asked: the address at the provider, until the browser sets out, and what it shows when it comes back.
    sql`alter table idp_logins add column login_url text`,
    sql`alter table idp_logins add column browser_hash text`,
  ],
}
