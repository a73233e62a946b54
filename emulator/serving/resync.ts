/** Implements `svc serve resync`, for databases that lost their last commits. */
import { migrate, NewerDatabaseError } from '../database/migrate.js'
import { newerServer, refuseStart } from '../database/postgres/server.js'
import { restartNumbers, selectNumberedProjects } from '../store/realtime/restarts.js'
import type { ServeConfig } from './config.js'

type DatabaseUrls = Pick<ServeConfig, 'databaseUrl' | 'databaseListenUrl'>

/**
 * Makes subscribers resync, because the database would reuse the numbers of lost changes. Migrates the database first,
 * like a start. Returns the number of projects.
 *
 * @throws {StartError}
 */
export async function resyncSubscribers({ databaseUrl, databaseListenUrl }: DatabaseUrls): Promise<number> {
  const { openPostgres } = await import('../database/postgres/postgres.js')
  const db = await openPostgres({ url: databaseUrl, directUrl: databaseListenUrl })
  try {
    await migrate(db).catch((error) => {
      return error instanceof NewerDatabaseError ? Promise.reject(newerServer(error)) : refuseStart(error)
    })
    const projects = await selectNumberedProjects(db)
    for (const project of projects) await restartNumbers(db, project, new Date().toISOString())
    return projects.length
  } finally {
    await db.close()
  }
}
