import type { StoredCollection } from '../../client/protocol/model/collection.js'
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
import type { FairSemaphore } from './concurrency/fair-semaphore.js'
import type { Semaphore } from './concurrency/semaphore.js'
import type { WorkRoom } from './concurrency/work-rooms.js'
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

/** Everything outside the rules that the rules need. One per process. */
export interface Backend {
  readonly db: Database
  /** The request of the control API that it was handed to; left out, none. */
  readonly requestId?: string
  /** The time in a project: by its own clock, if it has one, else by the service's. */
  now(project: string): Date
  readonly clocks: Clocks
  /** A UUIDv7 of that moment; of two made of one moment, the later is the greater. */
  newId(at: Date): string
  readonly caches: Caches
  readonly keyring: Keyring
  readonly keyUses: KeyUses
  /**
   * What a project signs with, by the secret in its row. Where the service has a secret of its own, that goes into it: a copy of
   * the database alone signs nothing.
   */
  readonly signingKey: (tokenSecret: string) => string
  readonly bus: Bus
  /** Counts what limits allow, for all processes together. */
  readonly limits: Limits
  readonly feeds: Feeds
  readonly passwords: Hasher
  readonly mail: Mailer
  readonly providers: IdentityProviders
  /** The identity provider that comes along, on a developer's machine only. */
  readonly localProvider: LocalProvider | undefined
  /**
   * The process that answers, where its data are (undefined in memory and on a server; addresses of servers without user and
   * password), the id of the project it was opened for, and what tells its state folder from all others.
   */
  readonly about: {
    readonly pid: number
    readonly dataDir: string | undefined
    readonly servers: readonly string[]
    readonly project: string
    readonly folder: string
    /** The address that this process listens at. */
    readonly listensAt: () => string
  }
  /** Where the service is reached. Links in mails are built from it, never from what a request says. */
  readonly url: () => string
  /** Where the caller reached the service: an allowed host that an emulator's request named, else `url`. */
  readonly reachedAt: () => string
  /** Learns what lists ask for, and knows which fields have an index. */
  readonly indexes: FieldIndexes
  /** How many documents filters have found, remembered. */
  readonly totals: Totals
  /** Throw-away databases that queries of the console run on. */
  readonly queryCopies: QueryCopies
  /** Places of reads and writes that may take long, of this process. */
  readonly longReads: FairSemaphore
  /** Writes documents that are created at the same time together. */
  readonly joinedCreates: JoinedCreates
  /** The last requests, for developers. */
  readonly requests: RequestLog
  /** What happens in the emulator, and those who watch it. */
  readonly events: EventLog
  readonly documentEvents: DocumentEvents
  /** Fault injection. */
  readonly faults: Faults
  /** Those for realtime events, of this process. */
  readonly connections: Connections
  /** Logs what went wrong and no answer may tell, under the name of what was going on. */
  report(what: string, error: unknown): void
  /** Deletes, in the background, what removed collections left behind. */
  sweepSoon(): void
  /** Where the bytes of files are. */
  readonly files: FileStore
  /** What the files of open requests take, of this process. */
  readonly uploadRooms: UploadRooms
  /** Imports of snapshots, one after the other, of this process. */
  readonly imports: Semaphore
  /** Asks again, in the background, which of these files of a project have a row, and removes the bytes of the others. */
  discardLater(project: string, ids: readonly string[]): void
  /** Removes, in the background, the bytes of orphaned files. */
  sweepFilesSoon(): void
}

/** When keys were used last. It is written down once a minute, for all keys at once. */
export interface KeyUses {
  note(key: string, at: Date): void
  /** Writes down what there is. */
  write(): Promise<void>
}

/** Keys of projects that belong to the state folder, and outlive its data. */
export interface Keyring {
  /** Whether the data are in the folder too: then both have the same keys. */
  readonly hasData: boolean
  keysOf(project: string): Promise<readonly ProjectKey[]>
  /** Keeps them unless some are kept already; answers those that are. */
  keepFirst(project: string, keys: readonly ProjectKey[]): Promise<readonly ProjectKey[]>
  /** Runs changes of keys one after the other: each reads what there is before it keeps what is to be. */
  changing<Result>(work: () => Promise<Result>): Promise<Result>
  /** Keeps these in place of others. */
  keep(project: string, keys: readonly ProjectKey[]): Promise<void>
  /** Which step the numbers of new data of the project begin at: none that data behind the same keys have reached. */
  nextStep(project: string): Promise<number>
  /** Data of the project have reached that step. */
  keepStep(project: string, step: number): Promise<void>
}

export interface Clocks {
  /** What is of no project follows it, and all projects without a clock of their own. */
  readonly service: Clock
  /** The clock that a project follows. */
  of(project: string): Clock
  /** The project's own clock, which shows the service's time until it is moved. */
  openOwn(project: string): Clock
  /** The project follows the service's clock again. */
  closeOwn(project: string): void
  /** What is over by then is over for every project. */
  earliest(): Date
  latest(): Date
  /** The projects with a clock of their own. */
  own(): readonly { readonly project: string; readonly now: Date }[]
}

/** Time that developers may move. */
export interface Clock {
  now(): Date
  /** Milliseconds that it is ahead of the time outside; less than 0 when it is behind. */
  offset(): number
  /** Goes on from that moment. */
  set(at: Date): void
  advance(milliseconds: number): void
  reset(): void
}

export interface Cache<Value> {
  /** What is cached; else what `read` gives, which is cached from then on if it is anything. */
  of<Found extends Value | undefined>(key: string, read: () => Promise<Found>): Promise<Found | Value>
}

/** Of values that are always there. Those who ask at once wait for one `read`. */
export interface SharedCache<Value> {
  of(key: string, read: () => Promise<Value>): Promise<Value>
}

/** Valid until a message on the bus says otherwise; a second at most, should one be lost. */
export interface Caches {
  /** Whose a key is, by the key. What it says of its expiry is for each request to check. */
  readonly callers: Cache<Identity>
  /** Whose a user token is, by the token. */
  readonly tokens: Cache<TokenIdentity>
  readonly collections: Cache<StoredCollection>
  readonly projects: Cache<Project>
  /** The origins whose pages some project allows, in small letters: all of them, since who asks may name any. */
  readonly origins: SharedCache<ReadonlySet<string>>
  /** What signs a project's user tokens, by its id. */
  readonly tokenSecrets: Cache<string>
}

/** One request's view of the world. */
export interface Context extends Identity, UnitOfWork {
  readonly backend: Backend
  /** What it may take of the memory; left out, what it wants. */
  readonly room?: WorkRoom
  /** Whether it is at work at one of the places of long reads. */
  readonly hasPlace?: boolean
}

/** A request on behalf of a user. */
export interface UserContext extends Context {
  readonly caller: Caller & { readonly user: SignedInUser }
}
