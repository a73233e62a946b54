/**
 * Restarts the numbers of changes after a backup was restored. Otherwise lost numbers would be given to other changes.
 */
import { type Database, sql, writing } from '../../database/port.js'
import { insertResets, numbersLeftOut } from './changes.js'

/**
 * Skips the numbers that may have been used, and makes subscribers reload the project's collections, even those with a
 * number that the project has lost.
 */
export async function restartNumbers(db: Database, project: string, at: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(
      writing(sql`update sequences set last_seq = last_seq + ${numbersLeftOut}::bigint where project_id = ${project}`),
    )
    const found = await tx.query<{ id: string }>(sql`select id from collections where project_id = ${project}`)
    const collections = found.map(({ id }) => id)
    await insertResets(tx, { project, collections, at, isWhole: false })
  })
}

export async function selectNumberedProjects(db: Database): Promise<readonly string[]> {
  const rows = await db.query<{ project_id: string }>(sql`select project_id from sequences order by project_id`)
  return rows.map(({ project_id }) => project_id)
}
