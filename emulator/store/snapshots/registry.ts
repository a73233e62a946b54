/** Lists snapshots with their names and sizes, in the order in which they were saved: a clock can be moved. */
import { type Database, type Fragment, sql } from '../../database/port.js'
import { isOrphan, selectExisting } from '../files.js'
import { keptIn, unprepared } from './parts.js'

export interface StoredSnapshot {
  readonly id: string
  readonly name: string
  /** The command that triggered an automatic snapshot; null for a requested one. */
  readonly command: string | null
  readonly branch: string | null
  readonly commit: string | null
  readonly madeAt: string
  readonly collections: number
  readonly documents: number
  readonly users: number
  readonly files: number
  /** The size of its files, which it shares with other snapshots and the project. */
  readonly fileBytes: number
  /** The size of everything else. */
  readonly bytes: number
  /** Secrets that were omitted from the file it came from. */
  readonly missing: readonly string[]
}

/** The properties of a snapshot before it is saved. */
export type NewSnapshot = Pick<StoredSnapshot, 'id' | 'name' | 'command' | 'branch' | 'commit' | 'madeAt'>

interface SnapshotRow extends Omit<StoredSnapshot, 'madeAt' | 'fileBytes' | 'missing'> {
  readonly made_at: string
  readonly file_bytes: number
  readonly missing: string
}

const snapshotColumns = sql`s.id, s.name, s.command, s.branch, s.commit, s.made_at, s.collections, s.documents,
  s.users, s.files, s.file_bytes, s.bytes, s.missing`

/** Newest first. */
export async function selectSnapshots(db: Database, project: string): Promise<StoredSnapshot[]> {
  const rows = await db.query<SnapshotRow>(sql`
    select ${snapshotColumns} from snapshots s where s.project_id = ${project} order by s.position desc`)
  return rows.map(snapshotFromRow)
}

export async function selectSnapshot(db: Database, project: string, name: string): Promise<StoredSnapshot | undefined> {
  const [row] = await db.query<SnapshotRow>(sql`
    select ${snapshotColumns} from snapshots s where s.project_id = ${project} and s.name = ${name}`)
  return row && snapshotFromRow(row)
}

export async function hasSnapshot(db: Database, id: string): Promise<boolean> {
  return (await db.query(sql`select 1 as one from snapshots where id = ${id}`)).length > 0
}

/** Returns the last migration of the database in which the snapshot was saved. */
export async function selectSchemaNumber(db: Database, id: string): Promise<number> {
  const [row] = await db.query<{ schema_number: number }>(sql`select schema_number from snapshots where id = ${id}`)
  return row?.schema_number ?? 0
}

/** The migrations of this database. A snapshot from outside this range cannot be loaded. */
export interface KnownMigrations {
  readonly oldest: number
  readonly newest: number
}

export async function selectKnownMigrations(db: Database): Promise<KnownMigrations> {
  const [row] = await db.query<KnownMigrations>(
    sql`select min(number) as oldest, max(number) as newest from migrations`,
  )
  return row ?? { oldest: 0, newest: 0 }
}

export interface AutomaticSnapshot {
  readonly id: string
  readonly name: string
  readonly project: string
  readonly bytes: number
}

/**
 * Returns all automatic snapshots, newest first, with the space each would free. That is its tables, and the files that
 * neither the project, a requested snapshot nor a newer one needs.
 */
export async function selectAutomatic(db: Database): Promise<AutomaticSnapshot[]> {
  const isAlone = (file: Fragment) => sql`not exists (select from files f where f.id = ${file} and not (${isOrphan}))
    and not exists (
      select from snapshot_files o
      join snapshots n on n.id = o.snapshot_id
      where o.file_id = ${file} and (n.command is null or n.position > s.position)
    )`
  const found = await db.query<AutomaticSnapshot & { has_files: boolean }>(
    unprepared(sql`
    select s.id, s.name, s.project_id as project, s.bytes,
      exists (select from snapshot_files h where h.snapshot_id = s.id and ${isAlone(sql`h.file_id`)}) as has_files
    from snapshots s
    where s.command is not null
    order by s.position desc`),
  )
  const snapshots: AutomaticSnapshot[] = []
  for (const { has_files: hasFiles, ...snapshot } of found) {
    const [held] = hasFiles
      ? await db.query<{ bytes: number }>(
          unprepared(sql`
          select coalesce(sum(t.size), 0)::bigint as bytes
          from snapshots s, ${keptIn(snapshot.id, 'files')} t
          where s.id = ${snapshot.id} and ${isAlone(sql`t.id`)}`),
        )
      : []
    snapshots.push({ ...snapshot, bytes: snapshot.bytes + (held?.bytes ?? 0) })
  }
  return snapshots
}

/** Returns the newest automatic snapshot of a project, or the one with that name, and whether its command has ended. */
export async function selectUndoable(
  tx: Database,
  project: string,
  name: string | undefined,
): Promise<{ id: string; name: string; command: string; isSettled: boolean } | undefined> {
  const [row] = await tx.query<{ id: string; name: string; command: string; is_settled: boolean }>(sql`
    select s.id, s.name, s.command, s.is_settled
    from snapshots s
    where s.project_id = ${project} and s.command is not null and (${name ?? null}::text is null or s.name = ${name ?? null})
    order by s.position desc
    limit 1`)
  return row && { id: row.id, name: row.name, command: row.command, isSettled: row.is_settled }
}

/**
 * Lets one transaction at a time change snapshots. Reads nothing, so that later statements see the state after the
 * wait.
 */
export async function lockSnapshots(tx: Database): Promise<void> {
  await tx.query({ text: 'lock table snapshots in share row exclusive mode', values: [], patient: true })
}

/**
 * Runs work on the files that have no row and belong to no snapshot. Until it is done, no snapshot can take them: an
 * import that has found their bytes waits and checks again.
 */
export async function withUnheldFiles(
  db: Database,
  ids: readonly string[],
  work: (unheld: string[]) => Promise<void>,
): Promise<void> {
  await db.transaction(async (tx) => {
    await disableTimeouts(tx)
    await lockSnapshots(tx)
    const held = new Set(await selectExisting(tx, ids))
    await work(ids.filter((id) => !held.has(id)))
  })
}

/** Whether the bytes of any file of the snapshot are being removed. If it held a file in time, only the row is. */
export async function hasOrphans(db: Database, id: string): Promise<boolean> {
  const [found] = await db.query(sql`
    select 1 as one
    from snapshot_files h
    join files f on f.id = h.file_id
    where h.snapshot_id = ${id} and ${isOrphan}
    limit 1`)
  return found !== undefined
}

/**
 * Disables the timeouts of this transaction, for slow statements and for pauses between them, such as the removal of
 * bytes. Otherwise the server might end the session while it is idle, and release its locks.
 */
export async function disableTimeouts(tx: Database): Promise<void> {
  // `set` takes no snapshot of the data, so that the locks that follow do.
  for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout']) {
    await tx.query({ text: `set local ${limit} = 0`, values: [], patient: true })
  }
}

function snapshotFromRow({ made_at, file_bytes, missing, ...row }: SnapshotRow): StoredSnapshot {
  return { ...row, madeAt: made_at, fileBytes: file_bytes, missing: JSON.parse(missing) }
}
