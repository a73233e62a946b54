/** `svc-toolkit/emulator`: runs the service on a developer's machine. */

import { StartError } from '../database/start-error.js'
import { addressesAt } from '../facts/addresses.js'
import { version } from '../facts/version.js'
import { selectSomeName } from '../store/collections.js'
import { type Config, defaultConfig } from './config.js'
import { openService } from './open-service.js'

export type { Config } from './config.js'

/** A running service with its addresses and keys. */
export interface Emulator {
  readonly url: string
  readonly wsUrl: string
  readonly storageUrl: string
  readonly dashboardUrl: string
  readonly projectId: string
  readonly apiKey: string
  /** Defined only if this start created the project; it is stored as a hash. */
  readonly secretKey: string | undefined
  readonly controlToken: string
  readonly pid: number
  readonly dataDir: string | undefined
  readonly version: string
  /** Returns the library that hashes passwords: `@node-rs/bcrypt` in native code, or `bcryptjs`. */
  hashLibrary(): Promise<string>
  /** Clears the logs of requests and events, for example after health checks. */
  forgetRequests(): void
  /** Returns the name of any collection, or undefined. Fast for any number of collections. */
  someCollection(): Promise<string | undefined>
  /** Lets requests in progress finish, then closes the database. Loses nothing that was acknowledged. */
  close(): Promise<void>
}

/**
 * Starts the service on this machine. Resolves when it accepts requests.
 *
 * @throws {StartError} whose `code` says why it cannot start and whose `hint` says how to fix it; then nothing has
 * changed
 * @throws {SvcError} `INVALID_DIALECT`
 */
export async function startEmulator(options: Partial<Config> = {}): Promise<Emulator> {
  requireKnown(options)
  const { url, project, backend, ...opened } = await openService({ ...defaultConfig, ...withoutUndefined(options) })
  return {
    ...addressesAt(url),
    projectId: project.id,
    ...opened,
    pid: process.pid,
    version,
    hashLibrary: backend.passwords.library,
    forgetRequests() {
      backend.requests.clear()
      backend.events.clear()
      backend.connections.forgetOpened()
    },
    someCollection: () => selectSomeName(backend.db, project.id),
  }
}

/** Refuses unknown options, because a misspelled one would silently use the default. */
function requireKnown(options: object): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(defaultConfig, name))
  if (unknown === undefined) return
  const hint = `Valid options: ${Object.keys(defaultConfig).join(', ')}.`
  throw new StartError('UNKNOWN_OPTION', `"${unknown}" is not an option of startEmulator.`, hint)
}

/** Treats `undefined` like a missing option. */
function withoutUndefined<Options extends object>(options: Options): Partial<Options> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<Options>
}
