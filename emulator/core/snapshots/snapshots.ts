/** Saves, lists and deletes snapshots: named states of all data in a project. Contract 11. */

import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Project } from '../../../client/protocol/model/project.js'
import { type Database, DatabaseError } from '../../database/port.js'
import { deleteSnapshot } from '../../store/snapshots/delete.js'
import { insertSnapshot, readOneSnapshot } from '../../store/snapshots/insert.js'
import {
  disableTimeouts,
  lockSnapshots,
  type StoredSnapshot,
  selectSnapshot,
  selectSnapshots,
} from '../../store/snapshots/registry.js'
import type { Backend } from '../context.js'
import { snapshotEvent } from '../events/happenings.js'
import { requireProject } from '../projects/require-project.js'
import { inTransaction, makingRoom, unitFor } from '../unit-of-work.js'
import { trimAutomatic } from './automatic.js'
import { automaticName, nameAt, requireSnapshotName } from './names.js'

export type { StoredSnapshot }

export interface SnapshotOptions {
  /** Defaults to a name made from the time. */
  readonly name?: string | undefined
  /** Git branch of the app's source code. */
  readonly branch?: string | undefined
  readonly commit?: string | undefined
  /** Whether to replace a snapshot with that name. */
  readonly replace?: boolean | undefined
}

/** A snapshot before a destructive command, for `undo`. */
export interface AutomaticOptions extends Pick<SnapshotOptions, 'branch' | 'commit'> {
  /** The command as typed in a terminal. */
  readonly command: string
  /** Name of a snapshot that the command loads, which has to stay. */
  readonly keeping?: string | undefined
}

/**
 * Saves all data of a project. Doesn't copy the bytes of files; they stay as long as a snapshot holds them.
 *
 * @throws {SvcError} `NOT_FOUND`, `VALIDATION_ERROR` for its name, `SNAPSHOT_EXISTS`
 */
export async function saveSnapshot(backend: Backend, id: string, options: SnapshotOptions): Promise<StoredSnapshot> {
  const now = backend.clocks.service.now()
  const { name = nameAt(now), replace = false, ...place } = options
  requireSnapshotName(name)
  const snapshot = { ...place, id: backend.newId(now), name, command: null, at: now }
  return save(backend, await requireProject(backend, id), snapshot, async (tx, project) => {
    const before = await selectSnapshot(tx, project, name)
    if (before && !replace) throw snapshotExists(name)
    if (before) await deleteSnapshot(tx, project, before.id)
  })
}

/**
 * Saves all data before a command. Automatic snapshots share a limit, and the oldest are deleted first, except the one
 * the command loads.
 *
 * @throws {SvcError} `STORAGE_LIMIT` if this snapshot alone exceeds the limit, or the disk is nearly full; then saves
 * nothing
 */
export async function saveAutomatically(
  backend: Backend,
  id: string,
  options: AutomaticOptions,
): Promise<StoredSnapshot> {
  const at = backend.clocks.service.now()
  const snapshotId = backend.newId(at)
  const { keeping, ...about } = options
  const snapshot = { ...about, id: snapshotId, name: automaticName(at, snapshotId), at }
  const project = await requireProject(backend, id)
  const saved = await save(backend, project, snapshot, async () => undefined).catch((error) => {
    throw isDiskNearlyFull(error) ? diskNearlyFull(options.command) : error
  })
  await trimAutomatic(backend, saved, { keeping })
  return saved
}

interface Saved {
  readonly id: string
  readonly name: string
  readonly command: string | null
  readonly branch?: string | undefined
  readonly commit?: string | undefined
  readonly at: Date
}

async function save(
  backend: Backend,
  { id: project }: Project,
  { id, name, command, branch, commit, at }: Saved,
  prepare: (tx: Database, project: string) => Promise<void>,
): Promise<StoredSnapshot> {
  const place = { branch: branch ?? null, commit: commit ?? null }
  const snapshot = { id, name, command, ...place, madeAt: at.toISOString() }
  const saved = await inTransaction(unitFor(backend), async ({ db: tx }) => {
    await readOneSnapshot(tx)
    await disableTimeouts(tx)
    await lockSnapshots(tx)
    await prepare(tx, project)
    await insertSnapshot(tx, project, snapshot)
    return selectSnapshot(tx, project, name)
  }).catch((error) => {
    throw isNameTaken(error) ? snapshotExists(name) : error
  })
  backend.sweepFilesSoon()
  backend.events.add(snapshotEvent(project, 'saved', name))
  return saved ?? noSuchSnapshot(name)
}

/** Lists the newest snapshots first. @throws {SvcError} `NOT_FOUND` */
export async function listSnapshots(backend: Backend, project: string): Promise<StoredSnapshot[]> {
  return selectSnapshots(backend.db, (await requireProject(backend, project)).id)
}

/** @throws {SvcError} `NOT_FOUND` */
export async function getSnapshot(backend: Backend, project: string, name: string): Promise<StoredSnapshot> {
  return (await selectSnapshot(backend.db, project, name)) ?? noSuchSnapshot(name)
}

/**
 * Deletes a snapshot and the bytes of files that nothing else holds. With an id, only if the snapshot still has that
 * id.
 *
 * @throws {SvcError} `NOT_FOUND`
 */
export async function removeSnapshot(
  backend: Backend,
  project: string,
  name: string,
  { id }: { readonly id?: string } = {},
): Promise<StoredSnapshot> {
  const removed = await inTransaction(makingRoom(unitFor(backend)), async ({ db: tx }) => {
    await disableTimeouts(tx)
    await lockSnapshots(tx)
    const snapshot = (await selectSnapshot(tx, project, name)) ?? noSuchSnapshot(name)
    if (id !== undefined && id !== snapshot.id) noSuchSnapshot(name)
    await deleteSnapshot(tx, project, snapshot.id)
    return snapshot
  })
  backend.sweepFilesSoon()
  backend.events.add(snapshotEvent(project, 'removed', name))
  return removed
}

export function noSuchSnapshot(name: string): never {
  throw new SvcError('NOT_FOUND', `No snapshot "${name.slice(0, 80)}".`)
}

export function snapshotExists(name: string): SvcError {
  return new SvcError('SNAPSHOT_EXISTS', `Snapshot "${name}" already exists.`)
}

/** Lets the caller continue without a snapshot, because the command may be the one that frees disk space. */
function diskNearlyFull(command: string): SvcError {
  return new SvcError(
    'STORAGE_LIMIT',
    `The disk is nearly full. There is not enough space for a snapshot before "${command}".`,
  )
}

function isDiskNearlyFull(error: unknown): boolean {
  return error instanceof DatabaseError && error.kind === 'disk nearly full'
}

function isNameTaken(error: unknown): boolean {
  return error instanceof DatabaseError && error.constraint === 'snapshots_project_id_name_key'
}
