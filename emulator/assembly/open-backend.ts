/** Opens the ports and the background work on an open database. Shared by all profiles of the service. */
import { openCheckpoints } from '../background/checkpoints.js'
import { openIndexKeeper } from '../background/indexes.js'
import { openKeyUses } from '../background/key-uses.js'
import { onlyProcess, openLease } from '../background/leader.js'
import { openMaintenance } from '../background/maintenance.js'
import { openNumbering } from '../background/numbering.js'
import { openFileKeeper } from '../background/orphans.js'
import { openVacuum } from '../background/vacuum.js'
import { openPermissionUses } from '../core/access/permission-uses.js'
import { openCaches } from '../core/caches.js'
import { openLongReads, openTransactionSlots } from '../core/concurrency/database-slots.js'
import { openItemSizes } from '../core/concurrency/item-sizes.js'
import { createSemaphore } from '../core/concurrency/semaphore.js'
import type { Backend } from '../core/context.js'
import { openJoinedCreates } from '../core/documents/door.js'
import { openDocumentEvents } from '../core/events/document-events.js'
import type { EventLog } from '../core/events/event-log.js'
import { openFaults } from '../core/faults/faults.js'
import { openUploadRooms } from '../core/files/upload-room.js'
import { openIds } from '../core/ids.js'
import { openFeeds } from '../core/realtime/feeds.js'
import { openConnections } from '../core/realtime/open-connections.js'
import { openRequestLog } from '../core/requests/request-log.js'
import { openQueryCopies } from '../core/sql/copies.js'
import { breaksCopy } from '../core/sql/run-query.js'
import { openThrowAway } from '../database/pglite/pglite.js'
import { readTemplate } from '../database/pglite/template.js'
import type { Database } from '../database/port.js'
import { cannotOpen } from '../database/postgres/server.js'
import type { Log } from '../http/logging/log.js'
import { openIdentityProviders } from '../idp/open.js'
import { openMemoryBus } from '../ports/bus/memory-bus.js'
import type { Bus } from '../ports/bus/port.js'
import { openMemoryLimits } from '../ports/limits/memory-limits.js'
import type { Limits } from '../ports/limits/port.js'
import type { Mailer } from '../ports/mail/port.js'
import { openBcryptPool } from '../ports/passwords/bcrypt-pool.js'
import { openTotals } from '../store/lists/totals.js'
import { openClocks } from './clock.js'
import type { Config } from './config.js'
import type { DisposalStack } from './disposal-stack.js'
import type { Storage } from './storage.js'

/** The parts in which the profiles of the service differ. */
export interface Parts
  extends Pick<Backend, 'about' | 'keyring' | 'localProvider' | 'signingKey' | 'url'>,
    Pick<Config, 'databaseListenUrl' | 'databaseUrl' | 'now' | 'providerTimeout' | 'requestLog'> {
  readonly log: Log
  readonly warn: (message: string) => void
  /** Event log for the stream of all events. */
  readonly events: EventLog
  openMailer(surroundings: Pick<Backend, 'now' | 'newId'>): Mailer
}

/** Adds everything to the stack, which closes it before the database. */
export async function openBackend(
  stack: DisposalStack,
  { db, files }: Pick<Storage, 'db' | 'files'>,
  parts: Parts,
): Promise<Backend> {
  const { about, databaseUrl, events, keyring, localProvider, log, signingKey, url, warn } = parts
  /** Logs failures of background work under a name. */
  const reportAs = (what: string) => (error: unknown) => log.failure(what, error)
  const engine = databaseUrl === undefined ? 'embedded' : 'pool'
  const newId = openIds()
  const clocks = openClocks(parts.now)
  const now = (project: string) => clocks.of(project).now()
  // PostgreSQL may serve other processes too.
  const leader = stack.use(databaseUrl === undefined ? onlyProcess : openLease(db, 'background'))
  const maintenance = stack.use(
    openMaintenance(db, { now: clocks.earliest, clocks, report: reportAs('maintenance'), leader }),
  )
  const fileKeeper = stack.use(openFileKeeper(db, files, { report: reportAs('orphaned files'), leader }))
  const indexes = stack.use(
    openIndexKeeper(db, { now: clocks.service.now, report: reportAs('indexes'), leader, announce: warn }),
  )
  const vacuum = openVacuum(db, reportAs('vacuum'))
  // Doesn't wait for the vacuum, which may take minutes. The database finishes it.
  stack.defer(() => void vacuum.close())
  stack.use(openCheckpoints(db, reportAs('checkpoints')))
  const keyUses = stack.use(openKeyUses(db, reportAs('key uses')))
  const bus = stack.use(await openBus(parts, db, reportAs('message bus')))
  stack.use(openNumbering(db, bus, reportAs('change numbers')))
  const feeds = stack.use(openFeeds(db, bus, reportAs('realtime')))
  const passwords = stack.use(openBcryptPool())
  const mail = stack.use(parts.openMailer({ now, newId }))
  const connections = openConnections(events)
  return {
    db: watched(db, indexes.busy),
    about,
    url,
    reachedAt: url,
    now,
    clocks,
    newId,
    caches: openCaches(bus),
    keyring,
    keyUses,
    signingKey,
    bus,
    limits: await openLimits(databaseUrl, db),
    feeds,
    passwords,
    mail,
    providers: openIdentityProviders({ timeoutMilliseconds: parts.providerTimeout, flows: localProvider?.flows }),
    localProvider,
    indexes,
    totals: openTotals(),
    queryCopies: stack.use(openQueryCopies(openCopy, breaksCopy)),
    itemSizes: openItemSizes(),
    longReads: openLongReads(engine),
    transactions: openTransactionSlots(engine),
    joinedCreates: openJoinedCreates(),
    requests: openRequestLog({ isOn: parts.requestLog }),
    permissionUses: openPermissionUses({ isOn: parts.requestLog }),
    events,
    connections,
    faults: stack.use(openFaults(connections)),
    documentEvents: stack.use(openDocumentEvents({ db, bus, log: events, report: reportAs('document events') })),
    report: log.failure,
    sweepSoon: maintenance.soon,
    files,
    uploadRooms: openUploadRooms(),
    imports: createSemaphore(1),
    discardLater: fileKeeper.discardLater,
    sweepFilesSoon: fileKeeper.soon,
  }
}

const megabyte = 1024 * 1024

/** Opens a copy for console queries, with the same limits on every engine: five seconds and half a gigabyte. */
function openCopy(): Promise<Database> {
  return openThrowAway({
    ...{ template: readTemplate, maxStatementMilliseconds: 5_000 },
    ...{ maxMemoryBytes: 512 * megabyte, maxGrowthBytes: 1_024 * megabyte },
  })
}

/** Wraps the database to tell when a request uses it. */
function watched(db: Database, begin: () => () => void): Database {
  return {
    ...db,
    query: (statement) => db.query<never>(statement).finally(begin()),
    batch: (statements) => db.batch(statements).finally(begin()),
    transaction: (work) => db.transaction(work).finally(begin()),
  }
}

async function openBus(
  { databaseUrl, databaseListenUrl }: Pick<Parts, 'databaseUrl' | 'databaseListenUrl'>,
  db: Database,
  report: (error: unknown) => void,
): Promise<Bus> {
  if (databaseUrl === undefined) return openMemoryBus()
  const { openPostgresBus } = await import('../ports/bus/postgres-bus.js')
  const url = databaseListenUrl ?? databaseUrl
  const flag = databaseListenUrl === undefined ? '--database-url' : '--database-listen-url'
  return openPostgresBus({ url, db, report }).catch((cause) => {
    throw cannotOpen(url, cause, flag)
  })
}

async function openLimits(databaseUrl: Config['databaseUrl'], db: Database): Promise<Limits> {
  if (databaseUrl === undefined) return openMemoryLimits()
  const { openPostgresLimits } = await import('../ports/limits/postgres-limits.js')
  return openPostgresLimits(db)
}
