/** The console's queries. Contract 11; decision 78 says what keeps them from all else. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { DatabaseError, type DatabaseErrorKind } from '../../database/port.js'
import { selectCollection } from '../../store/collections.js'
import { explaining, type QueryRows, runWritten, type WrittenQuery, writeQuery } from '../../store/sql/queries.js'
import { type View, viewOfCollection, viewOfUsers } from '../../store/sql/views.js'
import type { Backend } from '../context.js'
import { requireProject } from '../projects/require-project.js'
import { checkQuery, nodeOf, RefusedQuery, requireViews, type Tree } from './check-query.js'
import { parseSelect, parseWhole } from './parser.js'
import { mostWorkOf } from './work.js'

export interface QueryAnswer {
  readonly columns: readonly string[]
  readonly rows: readonly string[]
  readonly isCut: boolean
  readonly milliseconds: number
}

const limits = { mostMilliseconds: 5_000, mostCost: 1_000_000 }
/**
 * Of rows that are put beside one another. Where a statement cannot be ended, it has to come to its end by itself: the embedded
 * database would answer no other request meanwhile.
 */
const mostWork = { ended: 10_000_000_000, unended: 50_000_000 }
const mostViews = 20
const mostAnswerCharacters = 4_000_000

/** @throws {SvcError} `INVALID_QUERY`, with its place in the text */
export async function runQuery(
  backend: Backend,
  projectId: string,
  { query, mostRows }: { query: string; mostRows: number },
): Promise<QueryAnswer> {
  const { id: project } = await requireProject(backend, projectId)
  try {
    const { select, text, start } = await parseSelect(query)
    const named = checkQuery(select)
    if (named.size > mostViews) throw new RefusedQuery(`A query reads at most ${mostViews} collections.`, 0)
    const views = await viewsOf(backend, project, [...named.keys()])
    const isView = (name: string) => views.some((view) => view.name === name)
    requireViews(named, isView)
    requireLittleWork(backend, select, views)
    const written = writeQuery(views, text, mostRows + 1)
    await checkWritten(written, isView)
    const begun = performance.now()
    const found = await runWritten(backend.db, { views, query: text, written }, limits).catch((error) => {
      throw saidOf(error, views, placeIn(query, start, written))
    })
    if (!found) throw new RefusedQuery(tooMuch, 0)
    return { ...cut(found, mostRows), milliseconds: Math.round(performance.now() - begun) }
  } catch (error) {
    if (!(error instanceof RefusedQuery)) throw error
    const at = Buffer.from(query).subarray(0, error.byte).toString().length
    throw new SvcError('INVALID_QUERY', error.message, [{ path: ['query', at], message: error.message, type: 'sql' }])
  }
}

/** Not what the planner expects, which knows little of documents that came since it last looked. */
function requireLittleWork({ db }: Backend, select: Tree, views: readonly View[]): void {
  const most = db.capabilities.endsStatements ? mostWork.ended : mostWork.unended
  const counts = new Map(views.map(({ name, count }) => [name, count]))
  if (mostWorkOf(select, counts) > most) throw new RefusedQuery(tooMuch, 0)
}

/** What a query sees under a name. @throws {SvcError} `NOT_FOUND` */
export async function viewNamed(backend: Backend, projectId: string, name: string): Promise<View> {
  const { id: project } = await requireProject(backend, projectId)
  const [view] = await viewsOf(backend, project, [name])
  if (!view) throw new SvcError('NOT_FOUND', `No collection "${name.slice(0, 80)}".`)
  return view
}

/** Those that exist. A collection of that name stands before the users. */
async function viewsOf({ db }: Backend, project: string, names: readonly string[]): Promise<View[]> {
  const views: View[] = []
  for (const name of names) {
    const collection = await selectCollection(db, project, name)
    if (collection?.name === name) views.push(await viewOfCollection(db, collection))
    else if (name === 'users') views.push(await viewOfUsers(db, project))
  }
  return views
}

/** Parses what will be carried out, to the letter, and checks the query where it stands in there. */
async function checkWritten({ statement }: WrittenQuery, isView: (name: string) => boolean): Promise<void> {
  const {
    withClause: _views,
    targetList: _row,
    fromClause,
    limitCount: _limit,
    limitOption: _,
    op,
    ...others
  } = await parseWhole(statement.text)
  const [from, ...more] = Array.isArray(fromClause) ? fromClause : []
  const [kind, { subquery }] = nodeOf(from ?? {})
  const [inner, query] = nodeOf(subquery ?? {})
  const isWhole = kind === 'RangeSubselect' && inner === 'SelectStmt' && more.length === 0 && op === 'SETOP_NONE'
  if (!isWhole || Object.keys(others).length > 0) throw new RefusedQuery('This is not one query.', 0)
  requireViews(checkQuery(query), isView)
}

const tooMuch = 'This would take too long. Ask for less, or join on fields that few documents share.'

/** What the database says of a query is for who wrote it, where it is about the query. */
const theirs: ReadonlySet<DatabaseErrorKind> = new Set(['faulty statement', 'missing table', 'exists', 'taken'])

function saidOf(error: unknown, views: readonly View[], placeOf: (position: number) => number): unknown {
  if (!(error instanceof DatabaseError) || !theirs.has(error.kind)) return error
  const message = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.${hintFor(error.message, views)}`
  return new RefusedQuery(message, error.position === undefined ? 0 : placeOf(error.position))
}

/** PostgreSQL reads names without quotes as small letters. */
function hintFor(message: string, views: readonly View[]): string {
  const [, missing = ''] = /^column "?(?:\w+\.)?([^"\s]+)"? does not exist$/.exec(message) ?? []
  const meant = views.flatMap(({ columns }) => columns).find(({ name }) => name.toLowerCase() === missing)
  return meant ? ` Write "${meant.name}" in double quotes.` : ''
}

/** From a place in the statement, in characters from 1, to one in the query as it was given, in bytes. */
function placeIn(query: string, start: number, written: WrittenQuery): (position: number) => number {
  return (position) => {
    const before = [...written.statement.text].slice(0, position - 1 - explaining.length).join('').length
    const at = Math.min(Math.max(before - written.start + start, 0), query.length)
    return Buffer.byteLength(query.slice(0, at))
  }
}

/** As many rows as were asked for, and as fit. */
function cut({ columns, rows }: QueryRows, mostRows: number): Omit<QueryAnswer, 'milliseconds'> {
  let left = mostAnswerCharacters
  const kept = rows.slice(0, mostRows).filter((row) => {
    left -= row.length
    return left >= 0
  })
  return { columns, rows: kept, isCut: kept.length < rows.length }
}
