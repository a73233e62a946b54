/** A file of another machine becomes a snapshot here. It is whole and checked before anything is changed. */

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
import { inTransaction, unitOf } from '../unit-of-work.js'
import { type ArchiveHead, hashOf, headName, invalidSnapshot, readEntryName } from './archive.js'
import { type CheckRow, checkArchive } from './check-archive.js'
import { requireSnapshotName } from './names.js'
import { noSuchSnapshot, removeSnapshot, type StoredSnapshot, snapshotExists } from './snapshots.js'
import { blockBytes, bytesOf, isTarHeader, readEntry, tarEntries } from './tar.js'

/** Another process may be the one that removes files, once a minute. */
const lookMilliseconds = 100
const mostLooks = 1_200

/**
 * Takes in an archive under its own name, or another. It is not loaded.
 *
 * @throws {SvcError} `INVALID_SNAPSHOT` for a damaged or foreign file, `SNAPSHOT_EXISTS`, `NOT_FOUND`
 */
export async function importSnapshot(
  backend: Backend,
  id: string,
  bytes: AsyncIterable<Uint8Array>,
  { name: wished, checkRow }: { readonly name?: string | undefined; readonly checkRow: CheckRow },
): Promise<StoredSnapshot> {
  if (wished !== undefined) requireSnapshotName(wished)
  const project = (await requireProject(backend, id)).id
  return inTemporaryFile(bytes, async (file) => {
    const head = await checkArchive(file, await selectKnownMigrations(backend.db), checkRow)
    const name = wished ?? head.name
    requireSnapshotName(name)
    if (await selectSnapshot(backend.db, project, name)) throw snapshotExists(name)
    // Two that have files in common do not meet each other's half written ones.
    return backend.imports.run(() => takeIn(backend, { project, name, head, file }))
  })
}

interface Archive {
  readonly project: string
  readonly name: string
  readonly head: ArchiveHead
  readonly file: FileHandle
}

/** Lists the snapshot with the bytes of all its files, or leaves nothing behind. */
async function takeIn(backend: Backend, archive: Archive): Promise<StoredSnapshot> {
  const landed: string[] = []
  const snapshot = await landFiles(backend, archive.file, landed)
    .then(() => insertArchive(backend, archive))
    .catch(async (error) => {
      await removeUnheld(backend, landed).catch((fault) => backend.report('failed import', fault))
      throw error
    })
  try {
    // What was there before may have been on its way out until the snapshot held it.
    await removalsEnded(backend, snapshot)
    await landFiles(backend, archive.file, [])
    return snapshot
  } catch (error) {
    // Its files go with it, except for those that something else holds.
    await removeSnapshot(backend, archive.project, snapshot.name, { id: snapshot.id }).catch((fault) =>
      backend.report('failed import', fault),
    )
    throw error
  }
}

/** Waits for removals of its files that began before it held them: each ends with the row of the file. */
async function removalsEnded({ db, sweepFilesSoon }: Backend, { id }: StoredSnapshot): Promise<void> {
  for (let looks = 0; looks < mostLooks && (await hasOrphans(db, id)); looks++) {
    sweepFilesSoon()
    await pause(lookMilliseconds)
  }
}

/** Another import may have met them, and hold them; so may this one, if its commit came through and the answer did not. */
async function removeUnheld({ db, files }: Backend, landed: readonly string[]): Promise<void> {
  if (landed.length > 0) await withUnheldFiles(db, landed, files.remove)
}

/** Space that stays free where archives are written. */
const reservedBytes = 64 * 1024 * 1024
/** How many bytes may come between two looks at the disk. */
const lookBytes = 16 * 1024 * 1024

/** Refuses what does not begin as an archive before more of it is read, and what the disk has no room for. */
async function writeArchive(bytes: AsyncIterable<Uint8Array>, file: FileHandle, folder: string): Promise<void> {
  let written = 0
  let looksAt = 0
  for await (const chunk of bytes) {
    if (written >= looksAt) {
      const { bavail, bsize } = await statfs(folder)
      if (bavail * bsize < reservedBytes + lookBytes)
        throw new StorageError('full', 'There is no room for the archive.')
      looksAt += lookBytes
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
  if (!isTarHeader(first, headName)) throw invalidSnapshot('it does not begin as one')
}

/** Beside whatever else is temporary; it goes in any case. */
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

/** Writes the bytes of files that are not there yet, and notes their ids. Bytes of an id that is there have to be the same. */
async function landFiles({ files }: Backend, file: FileHandle, landed: string[]): Promise<void> {
  for await (const entry of tarEntries(file)) {
    const found = readEntryName(entry.name)
    if (found?.kind !== 'bytes') continue
    const there = await files.read(found.file)
    if (!there) {
      await files.write(found.file, bytesOf(file, entry))
      landed.push(found.file)
    } else if ((await hashOf(there)) !== (await hashOf(bytesOf(file, entry)))) {
      throw invalidSnapshot(`the file "${found.file}" has other bytes here`)
    }
  }
}

async function insertArchive(backend: Backend, { project, name, head, file }: Archive): Promise<StoredSnapshot> {
  const id = backend.newId(backend.clocks.service.now())
  const { branch, commit, madeAt, schema, missing } = head
  const saved = await inTransaction(unitOf(backend), async ({ db: tx }) => {
    await disableTimeouts(tx)
    await lockSnapshots(tx)
    if (await selectSnapshot(tx, project, name)) throw snapshotExists(name)
    await insertRows(tx, { id, project, head, file }).catch((error) => {
      throw isOfTheFile(error) ? invalidSnapshot('its rows do not fit', error) : error
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
  if (columns.size < partNames.length) throw invalidSnapshot('a part of it is missing')
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

/** What the database says of values that it does not take. */
function isOfTheFile(error: unknown): boolean {
  return error instanceof DatabaseError && error.kind === 'faulty statement'
}
