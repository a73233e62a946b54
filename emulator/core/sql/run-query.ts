/** Runs a query of the console on a throw-away copy of what it names. Contract 11; decision 78. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { DatabaseError, type DatabaseErrorKind } from '../../database/port.js'
import { beforeQuery, type QueryRows, runQueryOn } from '../../store/sql/queries.js'
import type { View } from '../../store/sql/views.js'
import type { Backend } from '../context.js'
import { requireProject } from '../projects/require-project.js'
import { type Copy, dropAll, loadView, viewNamedIn } from './copies.js'

export interface QueryAnswer {
  readonly columns: readonly string[]
  readonly rows: readonly string[]
  readonly isCut: boolean
  readonly milliseconds: number
}

const maxCharacters = 20_000
const maxAnswerBytes = 4_000_000

/** @throws {SvcError} `INVALID_QUERY`, with its place in the text; `RESULT_TOO_LARGE` for collections that are too large */
export async function runQuery(
  backend: Backend,
  projectId: string,
  { query, mostRows }: { query: string; mostRows: number },
): Promise<QueryAnswer> {
  const { id: project } = await requireProject(backend, projectId)
  requireText(query)
  const text = withoutEnd(query)
  return backend.queryCopies.use(backend, project, (copy) => runLoading(backend, copy, { query: text, mostRows }))
}

function requireText(query: string): void {
  if (query.length > maxCharacters) throw invalidQuery('The query has more than 20,000 characters.')
  if (query.includes('\0') || !query.isWellFormed())
    throw invalidQuery('The query contains characters that are not text.')
  if (query.trim() === '') throw invalidQuery('The query is empty.')
}

/** A semicolon may end it. */
function withoutEnd(query: string): string {
  return query.replace(/;\s*(?:--[^\n]*\s*)*$/, '')
}

/** PostgreSQL says which table is missing, so what a query names is what PostgreSQL takes for a table in it. */
async function runLoading(
  backend: Backend,
  copy: Copy,
  { query, mostRows }: { query: string; mostRows: number },
): Promise<QueryAnswer> {
  let isFresh = copy.loaded.size === 0
  await loadCatalogNames(backend, copy, query)
  for (;;) {
    const begun = performance.now()
    try {
      const found = await runQueryOn(copy.db, query, { maxRows: mostRows + 1, maxBytes: maxAnswerBytes })
      return { ...cut(found, mostRows), milliseconds: Math.round(performance.now() - begun) }
    } catch (error) {
      const view = await missingView(backend, copy, error)
      if (!view) throw reworded(error, query, copy)
      await loadView(backend, copy, view).catch(async (fault) => {
        if (isFresh || !(fault instanceof SvcError)) throw fault
        // Other queries have loaded what this one may not name.
        isFresh = true
        await dropAll(copy)
      })
    }
  }
}

/** A collection may have the name of a catalog, which is never missing. */
async function loadCatalogNames(backend: Backend, copy: Copy, query: string): Promise<void> {
  for (const [name] of query.matchAll(/\bpg_\w+/g)) {
    const view = copy.loaded.has(name) ? undefined : await viewNamedIn(backend.db, copy.project, name)
    if (view) await loadView(backend, copy, view)
  }
}

async function missingView({ db }: Backend, copy: Copy, error: unknown): Promise<View | undefined> {
  const name = missingName(error)
  if (name === undefined || copy.loaded.has(name)) return undefined
  return viewNamedIn(db, copy.project, name)
}

function missingName(error: unknown): string | undefined {
  if (!(error instanceof DatabaseError) || error.kind !== 'missing table') return undefined
  return /^relation "(.*)" does not exist$/s.exec(error.message)?.[1]
}

/** What a query sees under a name. @throws {SvcError} `NOT_FOUND` */
export async function viewNamed(backend: Backend, projectId: string, name: string): Promise<View> {
  const { id: project } = await requireProject(backend, projectId)
  const view = await viewNamedIn(backend.db, project, name)
  if (!view) throw new SvcError('NOT_FOUND', `No collection "${name.slice(0, 80)}".`)
  return view
}

const simpler = 'The query broke the database that it ran on. Write it in a simpler way.'

/** What ends a copy, in words for whoever wrote the query. */
const ends: { readonly [Kind in DatabaseErrorKind]?: string } = {
  timeout: 'The query took over 5 seconds and was stopped. Ask for less, or join on fields that few documents share.',
  'out of resources': 'The query took over 512 MB of memory and was stopped. Ask for less.',
  'result too large': 'A row of the answer is too large. Ask for less.',
  unavailable: simpler,
  conflict: simpler,
  damaged: simpler,
}

/** An error that PostgreSQL calls internal comes from a stack that ran over: what follows it may be wrong. */
function endOf({ kind, sqlState }: DatabaseError): string | undefined {
  return sqlState.startsWith('XX') ? simpler : ends[kind]
}

/** Whether a copy cannot be used again after a failure: only those that its query explains leave it whole. */
export function breaksCopy(error: unknown): boolean {
  if (!(error instanceof SvcError)) return true
  const { cause } = error
  return cause instanceof DatabaseError && !Object.hasOwn(refusals, cause.sqlState) && endOf(cause) !== undefined
}

const refusals: Readonly<Record<string, string>> = {
  '25006': 'A query cannot change anything.',
  '08P01': 'A query has no parameters. Write the value in place of $1.',
  '54001': 'The query is nested too deeply.',
}
const severalStatements = /^cannot insert multiple commands/
const notSelect = /DECLARE|INTO is not allowed/

function reworded(error: unknown, query: string, copy: Copy): unknown {
  if (!(error instanceof DatabaseError)) return error
  const { message, sqlState, position } = error
  const at = position === undefined ? 0 : placeIn(query, position)
  const refused = (words: string, place = 0) => invalidQuery(words, place, error)
  const known = refusals[sqlState] ?? endOf(error)
  if (known !== undefined) return refused(known)
  if (severalStatements.test(message)) return refused('One statement at a time.')
  const missing = missingName(error)
  if (missing !== undefined) return refused(`No collection "${missing.slice(0, 80)}".`, at)
  const isAtStart = sqlState === '42601' && position !== undefined && query.slice(0, at).trim() === ''
  if (isAtStart || notSelect.test(message)) return refused('Only select is allowed.', at)
  return refused(`${message.charAt(0).toUpperCase()}${message.slice(1)}.${hintFor(message, copy)}`, at)
}

/** PostgreSQL reads names without quotes as small letters. */
function hintFor(message: string, { loaded }: Copy): string {
  const [, missing = ''] = /^column "?(?:\w+\.)?([^"\s]+)"? does not exist$/.exec(message) ?? []
  const columns = [...loaded.values()].flatMap(({ view }) => view.columns)
  const meant = columns.find(({ name }) => name.toLowerCase() === missing)
  return meant ? ` Write "${meant.name}" in double quotes.` : ''
}

/** From a place in what PostgreSQL read, in characters from 1, to one in the query. */
function placeIn(query: string, position: number): number {
  const characters = Math.max(0, position - 1 - beforeQuery.length)
  return [...query].slice(0, characters).join('').length
}

function invalidQuery(message: string, at = 0, cause?: unknown): SvcError {
  return new SvcError('INVALID_QUERY', message, [{ path: ['query', at], message, type: 'sql' }], { cause })
}

/** As many rows as were asked for, and as fit. */
function cut({ columns, rows }: QueryRows, mostRows: number): Omit<QueryAnswer, 'milliseconds'> {
  const kept = rows.slice(0, mostRows).filter((row) => row !== null)
  return { columns, rows: kept, isCut: kept.length < rows.length }
}
