/** Requests that a standby may answer, and how those who have written read what they wrote. */
import type { Backend, Identity } from '../../core/context.js'
import type { Exchange, HttpContext } from '../exchange.js'
import type { Route } from '../route.js'

/** What a request says that need not have the newest, and an answer that may not have it. */
const consistencyHeader = 'svc-consistency'

/** Where the database was once a request had written; sent along, what is read is not older. */
const positionHeader = 'svc-position'

/** Where to read what this request asks for; nothing for the database itself. */
export async function readingFor(
  { backend: { db, longReads } }: HttpContext,
  { mayLag }: Route,
  exchange: Pick<Exchange, 'req' | 'headers'>,
  { project, caller }: Identity,
): Promise<Backend['db'] | undefined> {
  const { standby } = db
  const { [consistencyHeader]: asked, [positionHeader]: after } = exchange.req.headers
  if (!standby || !mayLag || asked !== 'eventual' || Array.isArray(after)) return undefined
  // What the standby does not answer after all is a long read of the database's.
  const owners = [project.id, caller.id] as const
  const reading = await standby.reading(after, (statement) => longReads.primary.run(owners, () => db.query(statement)))
  if (reading) exchange.headers = { ...exchange.headers, [consistencyHeader]: 'eventual' }
  return reading
}

/** Says where the database is, after a request that may have written. One that does not answer any more takes nothing from it. */
export async function addPosition({ backend }: HttpContext, { method }: Route, exchange: Exchange): Promise<void> {
  const { standby } = backend.db
  if (!standby || method === 'get') return
  const position = await standby.position().catch(() => '')
  if (position) exchange.headers = { ...exchange.headers, [positionHeader]: position }
}
