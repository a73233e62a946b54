/** Stores the reservations of processes in rate limit windows. */
import { type Database, sql, writing } from '../database/port.js'
import { deletePiece } from './upkeep/pieces.js'

interface Reservation {
  readonly name: string
  readonly window: number
  readonly seconds: number
  readonly most: number
  readonly requested: number
}

interface Row {
  readonly name: string
  readonly number: number
  readonly granted: number
  readonly reserved: number
}

/**
 * Returns what was granted, by window number and name. Updates each row once, in the same order in every transaction.
 */
export async function upsertReservations(
  db: Database,
  reservations: readonly Reservation[],
): Promise<Map<string, { readonly granted: number; readonly reserved: number }>> {
  const column = (read: (reservation: Reservation) => number) => reservations.map((one) => String(read(one)))
  const rows = await db.query<Row>(
    writing(sql`
    insert into rate_windows as w (name, number, most, granted, reserved, expires_at)
    select name, number, most, least(requested, most), least(requested, most), now() + make_interval(secs => 2 * seconds)
    from unnest(
      ${reservations.map(({ name }) => name)}::text[],
      ${column(({ window }) => window)}::bigint[],
      ${column(({ most }) => most)}::bigint[],
      ${column(({ requested }) => requested)}::bigint[],
      ${column(({ seconds }) => seconds)}::int[]
    ) as request (name, number, most, requested, seconds)
    order by name, number
    on conflict (name, number) do update
    set most = excluded.most,
      granted = greatest(0, least(excluded.granted, excluded.most - w.reserved)),
      reserved = w.reserved + greatest(0, least(excluded.granted, excluded.most - w.reserved))
    returning w.name, w.number, w.granted, w.reserved`),
  )
  return new Map(rows.map(({ name, number, granted, reserved }) => [`${number} ${name}`, { granted, reserved }]))
}

/** Deletes some windows that have expired by the database's clock. Returns whether there may be more. */
export function deleteExpiredWindows(db: Database, limit: number): Promise<boolean> {
  return deletePiece(db, { table: 'rate_windows', test: sql`expires_at < now()`, limit })
}
