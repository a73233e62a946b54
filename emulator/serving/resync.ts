/** `svc serve resync`: what a database needs that has lost what was committed last. */
import { migrate, NewerDatabaseError } from '../database/migrate.js'
import { newerServer, refuseStart } from '../database/postgres/server.js'
import { restartNumbers, selectNumberedProjects } from '../store/realtime/restarts.js'
import type { ServeConfig } from './config.js'

type Place = Pick<ServeConfig, 'databaseUrl' | 'databaseListenUrl'>

/**
 * Has subscribers read anew, since numbers of changes that are lost would be given again; answers in how many projects. The
 * database is brought up to date first, as by a start.
 *
 * @throws {StartError}
 */
export async function resyncSubscribers({ databaseUrl, databaseListenUrl }: Place): Promise<number> {
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
