/**
 * Names that collections had and have no more. Who subscribes by a name comes back with a number only: the collection that takes a
 * left name says that it is another one. Contract 9.4.
 */
import { type Database, makingRoom, sql, writing } from '../../database/port.js'

/** In the transaction that takes the names away. */
export async function insertLeftNames(tx: Database, project: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await tx.query(
    writing(sql`
    insert into left_names (project_id, name)
    select ${project}, left_name from unnest(${names}::text[]) as of (left_name)
    on conflict do nothing`),
  )
}

/** Where whoever comes back begins anew, whatever the name. */
export async function deleteLeftNames(tx: Database, project: string): Promise<void> {
  await tx.query(makingRoom(sql`delete from left_names where project_id = ${project}`))
}

/** Whether a collection had that name before, in the transaction where another one takes it: from then on that is said. */
export async function takeLeftName(tx: Database, project: string, name: string): Promise<boolean> {
  const rows = await tx.query(
    writing(sql`delete from left_names where project_id = ${project} and name = ${name} returning name`),
  )
  return rows.length > 0
}
