/** Runs one replica of the service on PostgreSQL and a bucket, for `svc serve`. */
import type { ServeConfig } from './config.js'
import { openServing, type ServingProcess } from './process.js'
import { exitOnUncaught } from './uncaught.js'

export { checkServing } from './check.js'
export type { ServeConfig } from './config.js'
export { resyncSubscribers } from './resync.js'
export { rotateSecret } from './secret.js'

/**
 * Starts the service. Resolves when it accepts requests.
 *
 * @throws {StartError} whose `code` says why it cannot start and whose `hint` says how to fix it
 */
export async function serve(config: ServeConfig): Promise<ServingProcess> {
  const serving = await openServing(config)
  exitOnUncaught(serving.closeNow)
  return serving
}
