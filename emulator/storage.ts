/** Which database an emulator runs on, where its files are, and the folder that goes with both. */
import { join, resolve } from 'node:path'
import { openBranchFolder } from './branch-folder.js'
import type { Config } from './config.js'
import { guardDisk } from './database/disk-guard.js'
import { type MigrateOptions, migrate, NewerDatabaseError, OlderDatabaseError } from './database/migrate.js'
import { makeStateFolder, requireNoLink, requireNoLinksIn } from './database/pglite/folder-place.js'
import { holdLock } from './database/pglite/lock.js'
import { checkGinIndexes, maxBytesAtStart } from './database/pglite/pages/gin-check.js'
import { openPglite } from './database/pglite/pglite.js'
import { copyBeforeUpgrade, damaged, newer, prepareData } from './database/pglite/state-folder.js'
import { readTemplate } from './database/pglite/template.js'
import { endSpareThread, startSpareThread } from './database/pglite/thread.js'
import type { Database } from './database/port.js'
import { newerServer, refuseStart } from './database/postgres/server.js'
import type { StartError } from './database/start-error.js'
import type { DisposalStack } from './disposal-stack.js'
import { openFileStore } from './ports/files/open-file-store.js'
import type { FileStore } from './ports/files/port.js'
import { ensureFilesId } from './store/files.js'

export interface Storage {
  readonly db: Database
  readonly files: FileStore
  readonly dataDir: string | undefined
}

type Options = Pick<
  Config,
  'branch' | 'databaseListenUrl' | 'databaseUrl' | 'dir' | 'filesUrl' | 'fresh' | 'holdsProcess' | 'memory'
> &
  Partial<Pick<Config, 'sharedBuffersMb'>>

export interface Surroundings {
  /** Called once the folder is held and before anything is changed: a start that fails here leaves all as it was. */
  beforeChanges(): Promise<void>
  /** What another process that wants the same folder reads. */
  info(): { pid: number; url?: string }
  /** Receives what broke under the database and was put right. */
  report(error: unknown): void
  /** Receives, in words, what the opening waits for. */
  warn(words: string): void
  /** Called once the database is opening, which is done elsewhere and takes a while. */
  whileOpening(): void
}

/**
 * Opens the database up to date, and locks the folder that it is kept in. The stack closes them and
 * lets go of the folder.
 *
 * @throws {StartError} with nothing changed.
 */
export async function openStorage(
  stack: DisposalStack,
  options: Options,
  surroundings: Surroundings,
): Promise<Storage> {
  const folder = await holdFolder(stack, options, surroundings.info)
  await surroundings.beforeChanges()
  const place = await placeOf(options, folder)
  if (folder !== undefined && place !== undefined && !options.memory) requireOwnParts(options, folder, place)
  const { db, dataDir } = await openFor(options, place, surroundings)
  stack.use(db)
  const files = stack.use(await openFiles(db, options, place))
  return { db, files, dataDir }
}

/** Makes the folder, and locks it until the stack closes. @throws {StartError} `ALREADY_RUNNING`, `FOLDER_NOT_WRITABLE` */
export async function holdFolder(
  stack: DisposalStack,
  { dir, memory }: Pick<Options, 'dir' | 'memory'>,
  info: Surroundings['info'],
): Promise<string | undefined> {
  const folder = dir === undefined ? undefined : resolve(dir)
  if (folder !== undefined) await makeStateFolder(folder)
  // What keeps nothing runs beside the process that holds the folder.
  if (folder !== undefined && !memory) stack.defer((await holdLock(folder, info)).release)
  return folder
}

/** Where the data are: in the folder itself, or in that of a branch. */
async function placeOf({ branch, memory }: Options, folder: string | undefined): Promise<string | undefined> {
  if (folder === undefined || branch === undefined || memory) return folder
  return openBranchFolder(join(folder, 'branches'), branch)
}

/** Looked at together, so that nothing is changed where one of them is behind a link. The data are looked at as they are prepared. */
export function requireOwnParts(
  { databaseUrl, filesUrl }: Pick<Options, 'databaseUrl' | 'filesUrl'>,
  folder: string,
  place: string,
): void {
  // Beside a database of its own a folder has files alone, and whatever else somebody keeps there.
  if (databaseUrl === undefined) requireNoLink(join(folder, 'keys'))
  // A folder of each database, with its files in it.
  if (filesUrl === undefined) requireNoLinksIn(join(place, 'files'), { recursive: false })
}

async function openFor(
  { databaseUrl, databaseListenUrl, memory, fresh, holdsProcess, sharedBuffersMb }: Options,
  folder: string | undefined,
  { report, warn, whileOpening }: Surroundings,
): Promise<{ db: Database; dataDir: string | undefined }> {
  if (databaseUrl !== undefined) {
    await endSpareThread()
    // Its library takes longer to load than everything else here.
    const { openPostgres } = await import('./database/postgres/postgres.js')
    const opening = openPostgres({ url: databaseUrl, directUrl: databaseListenUrl })
    whileOpening()
    const db = await upToDate(await opening, newerServer, { warn }).catch(refuseStart)
    return { db, dataDir: undefined }
  }
  if (memory || folder === undefined) {
    // It loads while the template is read.
    startSpareThread()
    const opening = openPglite({ template: readTemplate, report, holdsProcess, sharedBuffersMb })
    whileOpening()
    return { db: await upToDate(await opening, (cause) => newer('memory', cause)), dataDir: undefined }
  }
  const dataDir = await prepareData(folder, { fresh })
  const opening = openPglite({ dataDir, report, sharedBuffersMb })
  whileOpening()
  const db = await opening.catch((cause) => {
    throw damaged(dataDir, 'The database does not start from them.', cause)
  })
  await requireWholeIndexes(db, dataDir)
  const refused = (cause: NewerDatabaseError) => newer(dataDir, cause)
  const current = await upToDate(db, refused, { refusesOlder: true }).catch(async (error) => {
    if (!(error instanceof OlderDatabaseError)) throw error
    await copyBeforeUpgrade(folder, error.found)
    return upToDate(await openPglite({ dataDir, report, sharedBuffersMb }), refused)
  })
  return { db: guardDisk(current, folder), dataDir }
}

/** Asked before anything is written: a statement would not fail at such a page, but run for ever. */
async function requireWholeIndexes(db: Database, dataDir: string): Promise<void> {
  const damage = await checkGinIndexes(db.query, dataDir, maxBytesAtStart).catch((error) => error)
  if (!damage) return
  await db.close()
  throw damage
}

/** Each database has a place of its own, so that two that share a folder or a bucket leave each other's files alone. */
async function openFiles(db: Database, { filesUrl, memory }: Options, folder: string | undefined): Promise<FileStore> {
  const isKept = folder !== undefined && !memory
  return openFileStore({
    url: filesUrl,
    folder: isKept ? join(folder, 'files') : undefined,
    place: () => ensureFilesId(db),
    isSynced: db.capabilities.isDurable,
  })
}

async function upToDate(
  db: Database,
  refused: (cause: NewerDatabaseError) => StartError,
  options?: MigrateOptions,
): Promise<Database> {
  try {
    await migrate(db, options)
    return db
  } catch (error) {
    await db.close()
    throw error instanceof NewerDatabaseError ? refused(error) : error
  }
}
