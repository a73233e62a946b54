/** The fingerprint of the secret that the processes of `svc serve` have in common. */
import { type Database, sql, writing } from '../database/port.js'

/** Keeps the fingerprint unless there is one; answers which is kept. */
export async function ensureFingerprint(db: Database, fingerprint: string): Promise<string> {
  const [kept] = await db.query<Row>(sql`select fingerprint from served_secret`)
  if (kept) return kept.fingerprint
  await db.query(
    writing(sql`
    insert into served_secret (fingerprint) values (${fingerprint})
    on conflict do nothing`),
  )
  // Of two that start at once, one was first.
  const [first] = await db.query<Row>(sql`select fingerprint from served_secret`)
  return first?.fingerprint ?? fingerprint
}

/** The fingerprint that is kept; nothing where none is, or where the table is not there yet. */
export async function selectFingerprint(db: Database): Promise<string | undefined> {
  const [{ isThere } = { isThere: false }] = await db.query<{ isThere: boolean }>(
    sql`select to_regclass('svc.served_secret') is not null as "isThere"`,
  )
  if (!isThere) return undefined
  const [kept] = await db.query<Row>(sql`select fingerprint from svc.served_secret`)
  return kept?.fingerprint
}

/** Puts a fingerprint in the place of the one that is kept; answers whether it is another. */
export async function replaceFingerprint(db: Database, fingerprint: string): Promise<boolean> {
  const rows = await db.query(
    writing(sql`
    update served_secret set fingerprint = ${fingerprint}, since = now()
    where fingerprint <> ${fingerprint}
    returning fingerprint`),
  )
  return rows.length > 0
}

interface Row {
  readonly fingerprint: string
}
