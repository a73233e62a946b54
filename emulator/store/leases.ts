/** Stores leases: locks that one process holds until it releases them or dies. Uses the database's clock. */
import { type Database, sql, writing } from '../database/port.js'

export interface Lease {
  readonly name: string
  readonly holder: string
}

/** Takes or renews a lease, unless another process holds it. Returns whether the holder has it. */
export async function upsertLease(
  db: Database,
  { name, holder, seconds }: Lease & { readonly seconds: number },
): Promise<boolean> {
  const rows = await db.query(
    writing(sql`
    insert into leases (name, holder, expires_at)
    values (${name}, ${holder}::uuid, now() + make_interval(secs => ${seconds}::int))
    on conflict (name) do update
    set holder = excluded.holder, expires_at = excluded.expires_at
    where leases.holder = excluded.holder or leases.expires_at < now()
    returning holder`),
  )
  return rows.length > 0
}

/** Releases a lease, if this holder has it. */
export async function deleteLease(db: Database, { name, holder }: Lease): Promise<void> {
  await db.query(sql`delete from leases where name = ${name} and holder = ${holder}::uuid`)
}
