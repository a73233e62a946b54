import type { StoredCollection } from '../../client/protocol/model/collection.js'
import type { Leniency } from '../../client/protocol/model/leniency.js'
import type { Project } from '../../client/protocol/model/project.js'
import type { Database } from '../database/port.js'
import type { IdentityProviders, LocalProvider } from '../idp/provider.js'
import type { Bus } from '../ports/bus/port.js'
import type { FileStore } from '../ports/files/port.js'
import type { Limits } from '../ports/limits/port.js'
import type { Mailer } from '../ports/mail/port.js'
import type { Hasher } from '../ports/passwords/port.js'
import type { FieldIndexes } from '../store/lists/indexes.js'
import type { Totals } from '../store/lists/totals.js'
import type { ProjectKey } from '../store/projects.js'
import type { PermissionUses } from './access/permission-uses.js'
import type { FairSemaphore } from './concurrency/fair-semaphore.js'
import type { ItemSizes } from './concurrency/item-sizes.js'
import type { WorkRoom } from './concurrency/memory-budget.js'
import type { Semaphore } from './concurrency/semaphore.js'
import type { JoinedCreates } from './documents/joined-creates.js'
import type { DocumentEvents } from './events/document-events.js'
import type { EventLog } from './events/event-log.js'
import type { Faults } from './faults/faults.js'
import type { UploadRooms } from './files/upload-room.js'
import type { Caller, Identity, SignedInUser, TokenIdentity } from './identity.js'
import type { Feeds } from './realtime/feeds.js'
import type { Connections } from './realtime/open-connections.js'
import type { RequestLog } from './requests/request-log.js'
import type { QueryCopies } from './sql/copies.js'
import type { UnitOfWork } from './unit-of-work.js'

export type { Caller, Identity, SignedInUser, TokenIdentity } from './identity.js'

/** Everything that the rules need from outside. One per process. */
export interface Backend {
  readonly db: Database
  /** Id of the control API request in progress, if any. */
  readonly requestId?: string
  /** The time in a project, by its own clock or the service's. */
  now(project: string): Date
  readonly clocks: Clocks
  /** Generates a UUIDv7 for a moment. Ids of the same moment are in ascending order. */
  newId(at: Date): string
  readonly caches: Caches
  readonly keyring: Keyring
  readonly keyUses: KeyUses
  /**
   * Derives a project's signing key from the secret in its row. Includes the service's own secret, if any, so that a
   * copy of the database alone can sign nothing.
   */
  readonly signingKey: (tokenSecret: string) => string
  readonly bus: Bus
  /** Counts uses of rate limits across all processes. */
  readonly limits: Limits
  readonly feeds: Feeds
  readonly passwords: Hasher
  readonly mail: Mailer
  readonly providers: IdentityProviders
  /** The built-in identity provider, only on a developer's machine. */
  readonly localProvider: LocalProvider | undefined
  /**
   * The process, the location of its data (undefined in memory and on a server; server URLs without credentials), the
   * id of the project it was opened for, and the identity of its state folder.
   */
  readonly about: {
    readonly pid: number
    readonly dataDir: string | undefined
    /** Undefined on a server, and for an emulator without a folder. */
    readonly stateFolder?: string | undefined
    readonly servers: readonly string[]
    readonly project: string
    readonly folder: string
    /** The URL that this process listens on. */
    readonly listensAt: () => string
  }
  /** The service's public URL. Links in mails use it, never the request's host. */
  readonly url: () => string
  /** The URL that the caller used: an allowed host named by a request to an emulator, otherwise `url`. */
  readonly reachedAt: () => string
  /** Learns the filters of lists, and knows which fields have an index. */
  readonly indexes: FieldIndexes
  /** Cached totals of filtered lists. */
  readonly totals: Totals
  /** Throw-away databases for console queries. */
  readonly queryCopies: QueryCopies
  /** Slots for long reads and writes in this process. */
  readonly longReads: FairSemaphore
  /** Slots for callers' transactions in this process. */
  readonly transactions: FairSemaphore
  readonly itemSizes: ItemSizes
  /** Batches documents that are created concurrently. */
  readonly joinedCreates: JoinedCreates
  /** The log of the last requests, for developers. */
  readonly requests: RequestLog
  /** Permission words that requests have needed. Counts nothing on a server. */
  readonly permissionUses: PermissionUses
  /** The log of events and its readers. */
  readonly events: EventLog
  readonly documentEvents: DocumentEvents
  /** Fault injection. */
  readonly faults: Faults
  /** Realtime connections of this process that receive events. */
  readonly connections: Connections
  /** Logs an error that no response can report, under the name of the operation. */
  report(what: string, error: unknown): void
  /** Deletes the data of removed collections in the background. */
  sweepSoon(): void
  /** Storage for the bytes of files. */
  readonly files: FileStore
  /** Bytes taken by uploads in progress in this process. */
  readonly uploadRooms: UploadRooms
  /** Runs imports of snapshots one after another in this process. */
  readonly imports: Semaphore
  /** Checks in the background which of these files of a project have a row, and removes the bytes of the others. */
  discardLater(project: string, ids: readonly string[]): void
  /** Removes the bytes of orphaned files in the background. */
  sweepFilesSoon(): void
}

/** Times of the last use of keys. Saved once a minute, for all keys together. */
export interface KeyUses {
  note(key: string, at: Date): void
  /** Saves the collected times. */
  write(): Promise<void>
}

/** Keys of projects in the state folder, which outlive its data. */
export interface Keyring {
  /** Whether the data is in the folder too. Then both have the same keys. */
  readonly hasData: boolean
  keysOf(project: string): Promise<readonly ProjectKey[]>
  /** Saves the keys unless there are some already. Returns the saved ones. */
  keepFirst(project: string, keys: readonly ProjectKey[]): Promise<readonly ProjectKey[]>
  /** Runs changes to keys one after another, so that each reads the keys before it replaces them. */
  changing<Result>(work: () => Promise<Result>): Promise<Result>
  /** Replaces the keys. */
  keep(project: string, keys: readonly ProjectKey[]): Promise<void>
  /**
   * Returns the first step for numbering new data of the project, beyond all steps that earlier data with the same keys
   * reached.
   */
  nextStep(project: string): Promise<number>
  /** Records that the project's data has reached that step. */
  keepStep(project: string, step: number): Promise<void>
}

export interface Clocks {
  /** The clock for the service, and for all projects without their own. */
  readonly service: Clock
  /** Returns the clock that a project follows. */
  of(project: string): Clock
  /** Returns the project's own clock, which follows the service's until it is moved. */
  openOwn(project: string): Clock
  /** Makes the project follow the service's clock again. */
  closeOwn(project: string): void
  /** The earliest time on any clock: anything expired by then is expired for every project. */
  earliest(): Date
  latest(): Date
  /** Lists the projects with their own clock. */
  own(): readonly { readonly project: string; readonly now: Date }[]
}

/** A clock that developers can move. */
export interface Clock {
  now(): Date
  /** Milliseconds ahead of the real time; negative if behind. */
  offset(): number
  /** Moves the clock to that moment, from where it goes on. */
  set(at: Date): void
  advance(milliseconds: number): void
  reset(): void
}

export interface Cache<Value> {
  /** Returns the cached value or reads it. Caches the result unless it is undefined. */
  of<Found extends Value | undefined>(key: string, read: () => Promise<Found>): Promise<Found | Value>
}

/** Caches a value that always exists. Concurrent callers share one `read`. */
export interface SharedCache<Value> {
  of(key: string, read: () => Promise<Value>): Promise<Value>
}

/** Entries are valid until a message on the bus invalidates them, and for at most a second if the message is lost. */
export interface Caches {
  /** Identities by API key. Each request has to check the expiry. */
  readonly callers: Cache<Identity>
  /** Identities by user token. */
  readonly tokens: Cache<TokenIdentity>
  readonly collections: Cache<StoredCollection>
  readonly projects: Cache<Project>
  /** All allowed origins of all projects, in lowercase. Caches all, because callers can send any origin. */
  readonly origins: SharedCache<ReadonlySet<string>>
  /** Signing secrets for user tokens, by project id. */
  readonly tokenSecrets: Cache<string>
}

/** A request with its identity and its transaction, if one is open. */
export interface Context extends Identity, UnitOfWork {
  readonly backend: Backend
  /** Memory limit for the request; unlimited if undefined. */
  readonly room?: WorkRoom
  /** The rules that do not apply to the request. All apply if undefined. */
  readonly leniency?: Leniency
  /** Whether the request already holds a slot for long reads. */
  readonly hasPlace?: boolean
}

/** A request on behalf of a user. */
export interface UserContext extends Context {
  readonly caller: Caller & { readonly user: SignedInUser }
}
