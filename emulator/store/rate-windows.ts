/** What processes have reserved of the windows that a limit counts in. */
import { type Database, sql, writing } from '../database/port.js'
import { deletePiece } from './upkeep/pieces.js'

interface Reservation {
  readonly name: string
  readonly window: number
  readonly seconds: number
  readonly most: number
  readonly wished: number
}

interface Row {
  readonly name: string
  readonly number: number
  readonly granted: number
  readonly reserved: number
}

/** What was granted of each, by its window's number and name. Each row is met once, and in the order of their names by every transaction. */
export async function upsertReservations(
  db: Database,
  reservations: readonly Reservation[],
): Promise<Map<string, { readonly granted: number; readonly reserved: number }>> {
  const column = (read: (reservation: Reservation) => number) => reservations.map((one) => String(read(one)))
  const rows = await db.query<Row>(
    writing(sql`
    insert into rate_windows as w (name, number, most, granted, reserved, expires_at)
    select name, number, most, least(wished, most), least(wished, most), now() + make_interval(secs => 2 * seconds)
    from unnest(
      ${reservations.map(({ name }) => name)}::text[],
      ${column(({ window }) => window)}::bigint[],
      ${column(({ most }) => most)}::bigint[],
      ${column(({ wished }) => wished)}::bigint[],
      ${column(({ seconds }) => seconds)}::int[]
    ) as wish (name, number, most, wished, seconds)
    order by name, number
    on conflict (name, number) do update
    set most = excluded.most,
      granted = greatest(0, least(excluded.granted, excluded.most - w.reserved)),
      reserved = w.reserved + greatest(0, least(excluded.granted, excluded.most - w.reserved))
    returning w.name, w.number, w.granted, w.reserved`),
  )
  return new Map(rows.map(({ name, number, granted, reserved }) => [`${number} ${name}`, { granted, reserved }]))
}

/** By the database's own clock. Deletes some; whether there may be more. */
export function deleteExpiredWindows(db: Database, most: number): Promise<boolean> {
  return deletePiece(db, { table: 'rate_windows', test: sql`expires_at < now()`, most })
}
