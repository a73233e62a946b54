/** A file of another machine becomes a snapshot here. It is whole and checked before anything is changed. */

import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, DatabaseError } from '../../database/port.js'
import { insertSnapshotFromElsewhere } from '../../store/snapshots/insert.js'
import { type PartName, partNames } from '../../store/snapshots/parts.js'
import { lockSnapshots, selectNewestMigration, selectSnapshot, takeTime } from '../../store/snapshots/registry.js'
import { createKeptTables, insertKeptRows, selectFault } from '../../store/snapshots/rows.js'
import type { Backend } from '../context.js'
import { snapshotEvent } from '../events/happenings.js'
import { requireProject } from '../projects/require-project.js'
import { inTransaction, unitOf } from '../unit-of-work.js'
import { type ArchiveHead, hashOf, invalidSnapshot, readEntryName } from './archive.js'
import { checkArchive } from './check-archive.js'
import { requireSnapshotName } from './names.js'
import { noSuchSnapshot, type StoredSnapshot, snapshotExists } from './snapshots.js'
import { bytesOf, readEntry, tarEntries } from './tar.js'

/**
 * Takes in an archive under its own name, or another. It is not loaded.
 *
 * @throws {SvcError} `INVALID_SNAPSHOT` for a damaged or foreign file, `SNAPSHOT_EXISTS`, `NOT_FOUND`
 */
export async function importSnapshot(
  backend: Backend,
  id: string,
  bytes: AsyncIterable<Uint8Array>,
  { name: wished }: { readonly name?: string | undefined },
): Promise<StoredSnapshot> {
  if (wished !== undefined) requireSnapshotName(wished)
  const project = (await requireProject(backend, id)).id
  return inTemporaryFile(bytes, async (file) => {
    const head = await checkArchive(file, await selectNewestMigration(backend.db))
    const name = wished ?? head.name
    requireSnapshotName(name)
    if (await selectSnapshot(backend.db, project, name)) throw snapshotExists(name)
    const landed = await landFiles(backend, file)
    try {
      const snapshot = await insertArchive(backend, { project, name, head, file })
      // Whatever was there before may have been on its way out until the snapshot held it.
      await landFiles(backend, file)
      return snapshot
    } catch (error) {
      if (!isOfUnknownOutcome(error)) await backend.files.remove(landed)
      throw error
    }
  })
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
      for await (const chunk of bytes) await file.writeFile(chunk)
      return await work(file)
    } finally {
      await file.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Writes the bytes of files that are not there yet; their ids. Bytes of an id that is there have to be the same. */
async function landFiles({ files }: Backend, file: FileHandle): Promise<string[]> {
  const landed: string[] = []
  try {
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
    return landed
  } catch (error) {
    await files.remove(landed)
    throw error
  }
}

async function insertArchive(
  backend: Backend,
  { project, name, head, file }: { project: string; name: string; head: ArchiveHead; file: FileHandle },
): Promise<StoredSnapshot> {
  const id = backend.newId(backend.clocks.service.now())
  const { branch, commit, madeAt, schema, missing } = head
  const saved = await inTransaction(unitOf(backend), async ({ db: tx }) => {
    await takeTime(tx)
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

function isOfUnknownOutcome(error: unknown): boolean {
  return error instanceof DatabaseError && (error.kind === 'unknown outcome' || error.kind === 'unavailable')
}
