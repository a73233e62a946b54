/** Imports a snapshot file from another machine. Checks the whole file before changing anything. */

import { type FileHandle, mkdtemp, open, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Database, DatabaseError } from '../../database/port.js'
import { StorageError } from '../../ports/files/port.js'
import { insertSnapshotFromElsewhere } from '../../store/snapshots/insert.js'
import { type PartName, partNames } from '../../store/snapshots/parts.js'
import {
  disableTimeouts,
  hasOrphans,
  lockSnapshots,
  selectKnownMigrations,
  selectSnapshot,
  withUnheldFiles,
} from '../../store/snapshots/registry.js'
import { createKeptTables, insertKeptRows, selectFault } from '../../store/snapshots/rows.js'
import type { Backend } from '../context.js'
import { snapshotEvent } from '../events/happenings.js'
import { requireProject } from '../projects/require-project.js'
import { inTransaction, unitFor } from '../unit-of-work.js'
import { type ArchiveHead, hashBytes, headName, invalidSnapshot, readEntryName } from './archive.js'
import { type CheckRow, checkArchive } from './check-archive.js'
import { requireSnapshotName } from './names.js'
import { noSuchSnapshot, removeSnapshot, type StoredSnapshot, snapshotExists } from './snapshots.js'
import { blockBytes, isTarHeader, readEntry, readEntryBytes, tarEntries } from './tar.js'

/** Polls often, because another process may remove the files, once a minute. */
const pollMilliseconds = 100
const maxPolls = 1_200

/**
 * Imports an archive under its own name or the given one. Doesn't load it.
 *
 * @throws {SvcError} `INVALID_SNAPSHOT` for a damaged or foreign file, `SNAPSHOT_EXISTS`, `NOT_FOUND`
 */
export async function importSnapshot(
  backend: Backend,
  id: string,
  bytes: AsyncIterable<Uint8Array>,
  { name: chosenName, checkRow }: { readonly name?: string | undefined; readonly checkRow: CheckRow },
): Promise<StoredSnapshot> {
  if (chosenName !== undefined) requireSnapshotName(chosenName)
  const project = (await requireProject(backend, id)).id
  return inTemporaryFile(bytes, async (file) => {
    const head = await checkArchive(file, await selectKnownMigrations(backend.db), checkRow)
    const name = chosenName ?? head.name
    requireSnapshotName(name)
    if (await selectSnapshot(backend.db, project, name)) throw snapshotExists(name)
    // Runs one import at a time, so that imports with common files don't see each other's half-written files.
    return backend.imports.run(() => saveArchive(backend, { project, name, head, file }))
  })
}

interface Archive {
  readonly project: string
  readonly name: string
  readonly head: ArchiveHead
  readonly file: FileHandle
}

/** Saves the snapshot with the bytes of all its files, or leaves nothing behind. */
async function saveArchive(backend: Backend, archive: Archive): Promise<StoredSnapshot> {
  const landed: string[] = []
  const snapshot = await landFiles(backend, archive.file, landed)
    .then(() => insertArchive(backend, archive))
    .catch(async (error) => {
      await removeUnheld(backend, landed).catch((fault) => backend.report('failed import', fault))
      throw error
    })
  try {
    // Waits, because files that existed before may have been in removal until the snapshot held them.
    await waitForRemovals(backend, snapshot)
    await landFiles(backend, archive.file, [])
    return snapshot
  } catch (error) {
    // Deletes its files too, except those that something else holds.
    await removeSnapshot(backend, archive.project, snapshot.name, { id: snapshot.id }).catch((fault) =>
      backend.report('failed import', fault),
    )
    throw error
  }
}

/** Waits for removals of its files that started before it held them. Each ends by deleting the file's row. */
async function waitForRemovals({ db, sweepFilesSoon }: Backend, { id }: StoredSnapshot): Promise<void> {
  for (let polls = 0; polls < maxPolls && (await hasOrphans(db, id)); polls++) {
    sweepFilesSoon()
    await pause(pollMilliseconds)
  }
}

/**
 * Removes the files that nothing holds. Another import may hold them, or this one, if its commit succeeded but the
 * answer was lost.
 */
async function removeUnheld({ db, files }: Backend, landed: readonly string[]): Promise<void> {
  if (landed.length > 0) await withUnheldFiles(db, landed, files.remove)
}

/** Disk space to keep free while writing archives. */
const reservedBytes = 64 * 1024 * 1024
/** Bytes to write between two checks of the disk. */
const checkEveryBytes = 16 * 1024 * 1024

/** Writes the archive to disk. Checks the start of the archive and the free disk space before reading on. */
async function writeArchive(bytes: AsyncIterable<Uint8Array>, file: FileHandle, folder: string): Promise<void> {
  let written = 0
  let looksAt = 0
  for await (const chunk of bytes) {
    if (written >= looksAt) {
      const { bavail, bsize } = await statfs(folder)
      if (bavail * bsize < reservedBytes + checkEveryBytes)
        throw new StorageError('full', 'Not enough disk space for the archive.')
      looksAt += checkEveryBytes
    }
    await file.writeFile(chunk)
    const isWhole = written < blockBytes && written + chunk.length >= blockBytes
    written += chunk.length
    if (isWhole) await requireFirstBlock(file)
  }
}

async function requireFirstBlock(file: FileHandle): Promise<void> {
  const first = Buffer.alloc(blockBytes)
  await file.read(first, 0, blockBytes, 0)
  if (!isTarHeader(first, headName)) throw invalidSnapshot('it does not start with "snapshot.json"')
}

/** Runs `work` with a temporary file and always deletes it. */
async function inTemporaryFile<Result>(
  bytes: AsyncIterable<Uint8Array>,
  work: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-import-'))
  try {
    const file = await open(join(folder, 'archive'), 'wx+', 0o600)
    try {
      await writeArchive(bytes, file, folder)
      return await work(file)
    } finally {
      await file.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Stores the bytes of files that don't exist yet and records their ids. Existing files must have the same bytes. */
async function landFiles({ files }: Backend, file: FileHandle, landed: string[]): Promise<void> {
  for await (const entry of tarEntries(file)) {
    const found = readEntryName(entry.name)
    if (found?.kind !== 'bytes') continue
    const there = await files.read(found.file)
    if (!there) {
      await files.write(found.file, readEntryBytes(file, entry))
      landed.push(found.file)
    } else if ((await hashBytes(there)) !== (await hashBytes(readEntryBytes(file, entry)))) {
      throw invalidSnapshot(`the file "${found.file}" already exists with different bytes`)
    }
  }
}

async function insertArchive(backend: Backend, { project, name, head, file }: Archive): Promise<StoredSnapshot> {
  const id = backend.newId(backend.clocks.service.now())
  const { branch, commit, madeAt, schema, missing } = head
  const saved = await inTransaction(unitFor(backend), async ({ db: tx }) => {
    await disableTimeouts(tx)
    await lockSnapshots(tx)
    if (await selectSnapshot(tx, project, name)) throw snapshotExists(name)
    await insertRows(tx, { id, project, head, file }).catch((error) => {
      throw isDataError(error) ? invalidSnapshot('its rows are invalid', error) : error
    })
    const fault = await selectFault(tx, id)
    if (fault !== undefined) throw invalidSnapshot(`it has ${fault}`)
    const snapshot = { id, name, command: null, branch, commit, madeAt }
    await insertSnapshotFromElsewhere(tx, project, snapshot, { schema, missing })
    return selectSnapshot(tx, project, name)
  })
  backend.events.add(snapshotEvent(project, 'saved', name))
  return saved ?? noSuchSnapshot(name)
}

async function insertRows(
  tx: Database,
  { id, project, head, file }: { id: string; project: string; head: ArchiveHead; file: FileHandle },
): Promise<void> {
  const columns = await createKeptTables(tx, id, new Map(Object.entries(head.columns)))
  if (columns.size < partNames.length) throw invalidSnapshot('a part is missing')
  for await (const entry of tarEntries(file)) {
    const found = readEntryName(entry.name)
    if (found?.kind !== 'rows') continue
    const part = partNames.find((known) => known === found.part) as PartName
    const rows = (await readEntry(file, entry))
      .toString()
      .split('\n')
      .filter((line) => line !== '')
    await insertKeptRows(tx, { id, project, part, columns: columns.get(part) ?? [] }, rows)
  }
}

/** Tells errors in the archive's values from other database errors. */
function isDataError(error: unknown): boolean {
  return error instanceof DatabaseError && error.kind === 'faulty statement'
}
