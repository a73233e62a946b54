/** Keeps one throw-away database for console queries, with the collections that the last queries named. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Database } from '../../database/port.js'
import { selectCollection } from '../../store/collections.js'
import {
  analyzeCopyTable,
  createCopyTable,
  dropCopyTable,
  insertCopyRows,
  prepareCopy,
} from '../../store/sql/queries.js'
import {
  buildCollectionView,
  buildFilesView,
  buildUsersView,
  selectHasChanged,
  selectLastNumber,
  selectViewPages,
  type View,
} from '../../store/sql/views.js'
import { createSemaphore } from '../concurrency/semaphore.js'

interface LoadedView {
  readonly view: View
  /** The project's last change number before the view was read. */
  readonly number: number
  readonly rows: number
  readonly bytes: number
}

export interface Copy {
  readonly db: Database
  readonly project: string
  readonly loaded: Map<string, LoadedView>
}

/** The service's own database, to copy from. */
interface Source {
  readonly db: Database
}

/** The copies of this process: one at a time, with one query at a time. */
export interface QueryCopies {
  /** Runs `work` on the copy of a project, after dropping stale views. Discards a copy that broke. */
  use<Result>(source: Source, project: string, work: (copy: Copy) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

const copyLimits = { rows: 200_000, bytes: 100 * 1024 * 1024 }

/** Frees a copy's memory after this idle time. */
const idleMilliseconds = 60_000

export function openQueryCopies(open: () => Promise<Database>, breaks: (error: unknown) => boolean): QueryCopies {
  const turns = createSemaphore(1)
  let kept: Copy | undefined
  let timer: NodeJS.Timeout | undefined

  async function discard() {
    const copy = kept
    kept = undefined
    await copy?.db.close()
  }

  async function switchTo(project: string): Promise<Copy> {
    if (kept && kept.project !== project) await discard()
    if (!kept) {
      const db = await open()
      kept = { db, project, loaded: new Map() }
      await prepareCopy(db)
    }
    return kept
  }

  return {
    use: (source, project, work) =>
      turns.run(async () => {
        clearTimeout(timer)
        try {
          const copy = await switchTo(project)
          await dropStale(source, copy)
          return await work(copy)
        } catch (error) {
          if (breaks(error)) await discard()
          throw error
        } finally {
          timer = setTimeout(() => void turns.run(discard), idleMilliseconds).unref()
        }
      }),
    // Closes without waiting, so that a running query does not delay the end of the process.
    close() {
      clearTimeout(timer)
      return discard()
    },
  }
}

async function dropStale({ db }: Source, copy: Copy): Promise<void> {
  for (const [name, loaded] of copy.loaded) {
    const view = await findView(db, copy.project, name)
    if (!view || !(await isCurrent(db, copy.project, loaded, view))) await dropView(copy, name)
  }
}

async function isCurrent(db: Database, project: string, { view, number }: LoadedView, now: View): Promise<boolean> {
  const { collection } = view
  if (collection === undefined || collection !== now.collection) return false
  if (JSON.stringify(view.columns) !== JSON.stringify(now.columns)) return false
  return !(await selectHasChanged(db, { project, collection, after: number }))
}

async function dropView(copy: Copy, name: string): Promise<void> {
  await dropCopyTable(copy.db, name)
  copy.loaded.delete(name)
}

export async function dropAll(copy: Copy): Promise<void> {
  for (const name of [...copy.loaded.keys()]) await dropView(copy, name)
}

/** Finds the view for a name. Collections take precedence over `users` and `files`. */
export async function findView(db: Database, project: string, name: string): Promise<View | undefined> {
  const collection = await selectCollection(db, project, name)
  if (collection?.name === name) return buildCollectionView(db, collection)
  if (name === 'users') return buildUsersView(db, project)
  return name === 'files' ? buildFilesView(db, project) : undefined
}

/** Loads a view into the copy, or throws `RESULT_TOO_LARGE` and drops it. */
export async function loadView({ db }: Source, copy: Copy, view: View): Promise<void> {
  const others = [...copy.loaded.values()]
  let rows = others.reduce((all, other) => all + other.rows, 0)
  let bytes = others.reduce((all, other) => all + other.bytes, 0)
  const before = { rows, bytes }
  if (rows + view.count > copyLimits.rows) throw tooMuch(view.name)
  const number = await selectLastNumber(db, copy.project)
  try {
    await createCopyTable(copy.db, view)
    for await (const page of selectViewPages(db, view)) {
      rows += page.count
      bytes += Buffer.byteLength(page.rows)
      if (rows > copyLimits.rows || bytes > copyLimits.bytes) throw tooMuch(view.name)
      await insertCopyRows(copy.db, view, page)
    }
    await analyzeCopyTable(copy.db, view)
  } catch (error) {
    await dropCopyTable(copy.db, view.name).catch(() => undefined)
    throw error
  }
  copy.loaded.set(view.name, { view, number, rows: rows - before.rows, bytes: bytes - before.bytes })
}

function tooMuch(name: string): SvcError {
  return new SvcError(
    'RESULT_TOO_LARGE',
    `The query reads over 200,000 rows or 100 MB with "${name}". List the documents with a filter, or use psql if the data is on a PostgreSQL server.`,
  )
}
