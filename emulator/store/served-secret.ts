/** Stores the fingerprint of the secret shared by all `svc serve` processes. */
import { type Database, sql, writing } from '../database/port.js'

/** Stores the fingerprint unless there is one. Returns the stored one. */
export async function ensureFingerprint(db: Database, fingerprint: string): Promise<string> {
  const [kept] = await db.query<Row>(sql`select fingerprint from served_secret`)
  if (kept) return kept.fingerprint
  await db.query(
    writing(sql`
    insert into served_secret (fingerprint) values (${fingerprint})
    on conflict do nothing`),
  )
  // Reads it again, because another process may have stored one first.
  const [first] = await db.query<Row>(sql`select fingerprint from served_secret`)
  return first?.fingerprint ?? fingerprint
}

/** Returns the stored fingerprint. Undefined if there is none, or if the table does not exist yet. */
export async function selectFingerprint(db: Database): Promise<string | undefined> {
  const [{ isThere } = { isThere: false }] = await db.query<{ isThere: boolean }>(
    sql`select to_regclass('svc.served_secret') is not null as "isThere"`,
  )
  if (!isThere) return undefined
  const [kept] = await db.query<Row>(sql`select fingerprint from svc.served_secret`)
  return kept?.fingerprint
}

/** Replaces the stored fingerprint. Returns whether it changed. */
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
