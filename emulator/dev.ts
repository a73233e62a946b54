/** `svc-toolkit/emulator`: the service on a developer's machine. */
import { addressesAt } from './addresses.js'
import { type Config, defaultConfig } from './config.js'
import { StartError } from './database/start-error.js'
import { openService } from './open-service.js'
import { selectSomeName } from './store/collections.js'
import { version } from './version.js'

export type { Config } from './config.js'

/** A running service: where it is, and what opens it. */
export interface Emulator {
  readonly url: string
  readonly wsUrl: string
  readonly storageUrl: string
  readonly dashboardUrl: string
  readonly projectId: string
  readonly apiKey: string
  /** Only when the project was made by this start; it is not kept readable. */
  readonly secretKey: string | undefined
  readonly controlToken: string
  readonly pid: number
  readonly dataDir: string | undefined
  readonly version: string
  /** What hashes passwords: `@node-rs/bcrypt`, in native code, or `bcryptjs`. */
  hashLibrary(): Promise<string>
  /** Empties the logs of requests and events, as after requests that only tried whether it answers. */
  forgetRequests(): void
  /** The name of one of its collections; nothing where it has none. Found at once, however many there are. */
  someCollection(): Promise<string | undefined>
  /** Lets running requests finish, then closes the database. Nothing acknowledged is lost. */
  close(): Promise<void>
}

/**
 * Starts the service on this machine. It answers once this resolves.
 *
 * @throws {StartError} whose `code` and `hint` say why it cannot and what to do; nothing was changed.
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

/** A misspelled option would silently be a default. */
function requireKnown(options: object): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(defaultConfig, name))
  if (unknown === undefined) return
  const hint = `It takes: ${Object.keys(defaultConfig).join(', ')}.`
  throw new StartError('UNKNOWN_OPTION', `"${unknown}" is not an option of startEmulator.`, hint)
}

/** An option that is there but `undefined` means its default. */
function withoutUndefined<Options extends object>(options: Options): Partial<Options> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<Options>
}
