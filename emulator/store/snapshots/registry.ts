/** The list of snapshots: what each is called and how much is in it. Their order is that in which they were saved, not of time: a clock can be moved. */
import { type Database, type Fragment, sql } from '../../database/port.js'
import { isOrphan, selectExisting } from '../files.js'
import { keptIn, onItsOwn } from './parts.js'

export interface StoredSnapshot {
  readonly id: string
  readonly name: string
  /** The command before which it was saved by itself; null for one that was asked for. */
  readonly command: string | null
  readonly branch: string | null
  readonly commit: string | null
  readonly madeAt: string
  readonly collections: number
  readonly documents: number
  readonly users: number
  readonly files: number
  /** What its files take, which it shares with other snapshots and with the project. */
  readonly fileBytes: number
  /** What all else takes. */
  readonly bytes: number
  /** Secrets that were left out of the file it came from. */
  readonly missing: readonly string[]
}

/** What is known of a snapshot before it is saved. */
export type NewSnapshot = Pick<StoredSnapshot, 'id' | 'name' | 'command' | 'branch' | 'commit' | 'madeAt'>

interface SnapshotRow extends Omit<StoredSnapshot, 'madeAt' | 'fileBytes' | 'missing'> {
  readonly made_at: string
  readonly file_bytes: number
  readonly missing: string
}

const snapshotColumns = sql`s.id, s.name, s.command, s.branch, s.commit, s.made_at, s.collections, s.documents,
  s.users, s.files, s.file_bytes, s.bytes, s.missing`

/** The newest first. */
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

/** The last migration of the database that the snapshot was saved in. */
export async function selectSchemaNumber(db: Database, id: string): Promise<number> {
  const [row] = await db.query<{ schema_number: number }>(sql`select schema_number from snapshots where id = ${id}`)
  return row?.schema_number ?? 0
}

/** The migrations of this database: a snapshot from outside of them cannot be loaded here. */
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
 * All automatic snapshots, the newest first, with what each takes beside those that are newer: of files, those that nothing else
 * holds, be it the project, a snapshot that was asked for or a newer one.
 */
export async function selectAutomatic(db: Database): Promise<AutomaticSnapshot[]> {
  const isAlone = (file: Fragment) => sql`not exists (select from files f where f.id = ${file} and not (${isOrphan}))
    and not exists (
      select from snapshot_files o
      join snapshots n on n.id = o.snapshot_id
      where o.file_id = ${file} and (n.command is null or n.position > s.position)
    )`
  const found = await db.query<AutomaticSnapshot & { has_files: boolean }>(
    onItsOwn(sql`
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
          onItsOwn(sql`
          select coalesce(sum(t.size), 0)::bigint as bytes
          from snapshots s, ${keptIn(snapshot.id, 'files')} t
          where s.id = ${snapshot.id} and ${isAlone(sql`t.id`)}`),
        )
      : []
    snapshots.push({ ...snapshot, bytes: snapshot.bytes + (held?.bytes ?? 0) })
  }
  return snapshots
}

/** The newest automatic snapshot of a project, or the one of that name; whether its command is known to have ended. */
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
 * Lets one transaction at a time change snapshots or what one holds; the others wait. It looks at nothing yet, so that what is
 * looked at afterwards is as it was when it stopped waiting.
 */
export async function lockSnapshots(tx: Database): Promise<void> {
  await tx.query({ text: 'lock table snapshots in share row exclusive mode', values: [], patient: true })
}

/**
 * Does something to those of the files that have no row and are no snapshot's. Until it is done, none becomes a snapshot's: an
 * import that has met their bytes waits, and looks for them again.
 */
export async function whileUnheld(
  db: Database,
  ids: readonly string[],
  work: (unheld: string[]) => Promise<void>,
): Promise<void> {
  await db.transaction(async (tx) => {
    await takeTime(tx)
    await lockSnapshots(tx)
    const held = new Set(await selectExisting(tx, ids))
    await work(ids.filter((id) => !held.has(id)))
  })
}

/** Whether a file of the snapshot is among those whose bytes are removed. Of one that it held in time, only the row is. */
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
 * Statements of this transaction may take as long as they take, and so may what is done between them, as the removal of bytes: the
 * server may be set to end sessions that are idle in a transaction, and its locks with them.
 */
export async function takeTime(tx: Database): Promise<void> {
  // `set` looks at nothing yet: what locks afterwards is to see what is there then.
  for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout']) {
    await tx.query({ text: `set local ${limit} = 0`, values: [], patient: true })
  }
}

function snapshotFromRow({ made_at, file_bytes, missing, ...row }: SnapshotRow): StoredSnapshot {
  return { ...row, madeAt: made_at, fileBytes: file_bytes, missing: JSON.parse(missing) }
}
