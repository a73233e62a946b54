/** Opens the database of an emulator, its file store, and their folder. */
import { join, resolve } from 'node:path'
import { guardDisk } from '../database/disk-guard.js'
import { type MigrateOptions, migrate, NewerDatabaseError, OlderDatabaseError } from '../database/migrate.js'
import { makeStateFolder, requireNoLink, requireNoLinksIn } from '../database/pglite/folder-place.js'
import { holdLock } from '../database/pglite/lock.js'
import { checkGinIndexes, maxBytesAtStart } from '../database/pglite/pages/gin-check.js'
import { openPglite } from '../database/pglite/pglite.js'
import { copyBeforeUpgrade, damaged, newer, prepareData } from '../database/pglite/state-folder.js'
import { readTemplate } from '../database/pglite/template.js'
import { endSpareThread, startSpareThread } from '../database/pglite/thread.js'
import type { Database } from '../database/port.js'
import { newerServer, refuseStart } from '../database/postgres/server.js'
import type { StartError } from '../database/start-error.js'
import { openFileStore } from '../ports/files/open-file-store.js'
import type { FileStore } from '../ports/files/port.js'
import { ensureFilesId } from '../store/files.js'
import { openBranchFolder } from './branch-folder.js'
import type { Config } from './config.js'
import type { DisposalStack } from './disposal-stack.js'

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
  /** Called after the folder is locked and before anything changes. If it throws, nothing has changed. */
  beforeChanges(): Promise<void>
  /** Information for other processes that want the same folder. */
  info(): { pid: number; url?: string }
  /** Receives errors of the database that were repaired. */
  report(error: unknown): void
  /** Receives messages about the reason for a wait. */
  warn(message: string): void
  /** Called while the database opens in the background. */
  whileOpening(): void
}

/**
 * Opens the database, migrates it, and locks its folder. The stack closes the database and releases the folder.
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
  const dataFolder = await findDataFolder(options, folder)
  if (folder !== undefined && dataFolder !== undefined && !options.memory) requireOwnParts(options, folder, dataFolder)
  const { db, dataDir } = await openFor(options, dataFolder, surroundings)
  stack.use(db)
  const files = stack.use(await openFiles(db, options, dataFolder))
  return { db, files, dataDir }
}

/** Creates the folder and locks it until the stack closes. @throws {StartError} `ALREADY_RUNNING`, `FOLDER_NOT_WRITABLE` */
export async function holdFolder(
  stack: DisposalStack,
  { dir, memory }: Pick<Options, 'dir' | 'memory'>,
  info: Surroundings['info'],
): Promise<string | undefined> {
  const folder = dir === undefined ? undefined : resolve(dir)
  if (folder !== undefined) await makeStateFolder(folder)
  // An in-memory emulator can run next to the process that locks the folder.
  if (folder !== undefined && !memory) stack.defer((await holdLock(folder, info)).release)
  return folder
}

/** Finds the folder of the data: the given one, or that of a branch. */
async function findDataFolder({ branch, memory }: Options, folder: string | undefined): Promise<string | undefined> {
  if (folder === undefined || branch === undefined || memory) return folder
  return openBranchFolder(join(folder, 'branches'), branch)
}

/** Checks all folders for symbolic links before changing anything. The data folder is checked when it is prepared. */
export function requireOwnParts(
  { databaseUrl, filesUrl }: Pick<Options, 'databaseUrl' | 'filesUrl'>,
  folder: string,
  dataFolder: string,
): void {
  // With an external database, the folder only has our files, and possibly those of others.
  if (databaseUrl === undefined) requireNoLink(join(folder, 'keys'))
  // One folder per database, which contains its files.
  if (filesUrl === undefined) requireNoLinksIn(join(dataFolder, 'files'), { recursive: false })
}

async function openFor(
  { databaseUrl, databaseListenUrl, memory, fresh, holdsProcess, sharedBuffersMb }: Options,
  folder: string | undefined,
  { report, warn, whileOpening }: Surroundings,
): Promise<{ db: Database; dataDir: string | undefined }> {
  if (databaseUrl !== undefined) {
    await endSpareThread()
    // Imported here, because it loads slower than everything else.
    const { openPostgres } = await import('../database/postgres/postgres.js')
    const opening = openPostgres({ url: databaseUrl, directUrl: databaseListenUrl })
    whileOpening()
    const db = await migrateOrFail(await opening, newerServer, { warn }).catch(refuseStart)
    return { db, dataDir: undefined }
  }
  if (memory || folder === undefined) {
    // Loads the thread while the template is read.
    startSpareThread()
    const opening = openPglite({ template: readTemplate, report, holdsProcess, sharedBuffersMb })
    whileOpening()
    return { db: await migrateOrFail(await opening, (cause) => newer('memory', cause)), dataDir: undefined }
  }
  const dataDir = await prepareData(folder, { fresh })
  const opening = openPglite({ dataDir, report, sharedBuffersMb })
  whileOpening()
  const db = await opening.catch((cause) => {
    throw damaged(dataDir, 'The database does not start from them.', cause)
  })
  await requireWholeIndexes(db, dataDir)
  const refused = (cause: NewerDatabaseError) => newer(dataDir, cause)
  const current = await migrateOrFail(db, refused, { refusesOlder: true }).catch(async (error) => {
    if (!(error instanceof OlderDatabaseError)) throw error
    await copyBeforeUpgrade(folder, error.found)
    return migrateOrFail(await openPglite({ dataDir, report, sharedBuffersMb }), refused)
  })
  return { db: guardDisk(current, folder), dataDir }
}

/** Checks before writing, because a statement would loop forever at such a page. */
async function requireWholeIndexes(db: Database, dataDir: string): Promise<void> {
  const damage = await checkGinIndexes(db.query, dataDir, maxBytesAtStart).catch((error) => error)
  if (!damage) return
  await db.close()
  throw damage
}

/**
 * Opens a separate directory per database, so that two databases that share a folder or bucket don't touch each other's
 * files.
 */
async function openFiles(db: Database, { filesUrl, memory }: Options, folder: string | undefined): Promise<FileStore> {
  const isKept = folder !== undefined && !memory
  return openFileStore({
    url: filesUrl,
    folder: isKept ? join(folder, 'files') : undefined,
    place: () => ensureFilesId(db),
    isSynced: db.capabilities.isDurable,
  })
}

async function migrateOrFail(
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
