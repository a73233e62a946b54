/** The service for more than one machine: PostgreSQL, a bucket, and as many processes as are wanted. For `svc serve`. */
import { openLog } from './http/logging/log.js'
import type { ServeConfig } from './serving/config.js'
import { endAfterFault } from './serving/last-words.js'
import { openServing } from './serving/process.js'
import { openWorkers } from './serving/workers.js'

export { checkServing } from './serving/check.js'
export type { ServeConfig } from './serving/config.js'
export { resyncSubscribers } from './serving/resync.js'
export { rotateSecret } from './serving/secret.js'

export interface Served {
  readonly url: string
  readonly adminUrl: string | undefined
  /** Says that it is not ready, lets requests finish, hands streams over, and ends. Nothing acknowledged is lost. */
  close(): Promise<void>
  /** Ends all processes at once. Nothing acknowledged is lost, and requests at work get no answer. */
  kill(): void
}

/**
 * Starts the service. It answers once this resolves.
 *
 * @throws {StartError} whose `code` and `hint` say why it cannot and what to do
 */
export async function serve(config: ServeConfig): Promise<Served> {
  // What becomes of the workers is a line among theirs.
  if (config.workers > 1) {
    return openWorkers(config, openLog({ level: config.log, folder: undefined, isOfService: true }).warn)
  }
  const serving = await openServing(config)
  endAfterFault(serving.closeNow)
  return { ...serving, kill: () => undefined }
}
