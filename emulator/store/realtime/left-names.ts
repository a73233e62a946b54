/**
 * Remembers the names of renamed and removed collections. Subscribers by name reconnect with only a number, so a new
 * collection that takes such a name records that it is a different one. Contract 9.4.
 */
import { type Database, makingRoom, sql, writing } from '../../database/port.js'

/** Call in the transaction that frees the names. */
export async function insertLeftNames(tx: Database, project: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await tx.query(
    writing(sql`
    insert into left_names (project_id, name)
    select ${project}, left_name from unnest(${names}::text[]) as of (left_name)
    on conflict do nothing`),
  )
}

/** Call where all subscribers have to start over anyway. */
export async function deleteLeftNames(tx: Database, project: string): Promise<void> {
  await tx.query(makingRoom(sql`delete from left_names where project_id = ${project}`))
}

/** Whether another collection had the name before. Call in the transaction that takes it; forgets the name. */
export async function takeLeftName(tx: Database, project: string, name: string): Promise<boolean> {
  const rows = await tx.query(
    writing(sql`delete from left_names where project_id = ${project} and name = ${name} returning name`),
  )
  return rows.length > 0
}
