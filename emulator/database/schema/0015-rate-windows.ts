/** What processes have reserved of the windows that limits count in. A crash of the server begins them anew. */
import { sql } from '../port.js'
import type { Migration } from './migration.js'

export const rateWindows: Migration = {
  number: 15,
  name: 'windows of rate limits, shared by all processes',
  statements: [
    // Without a log of its own, so that a reservation waits for no disk.
    sql`create unlogged table rate_windows (
      name text not null,
      number bigint not null,
      most bigint not null,
      granted bigint not null,
      reserved bigint not null,
      expires_at timestamptz(3) not null,
      primary key (name, number)
    )`,
  ],
}
