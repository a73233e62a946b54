/** Runs a console query on a throw-away copy of the collections it names. Contract 11; decision 78. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { DatabaseError, type DatabaseErrorKind } from '../../database/port.js'
import { beforeQuery, type QueryRows, runQueryOn } from '../../store/sql/queries.js'
import type { View } from '../../store/sql/views.js'
import type { Backend } from '../context.js'
import { requireProject } from '../projects/require-project.js'
import { type Copy, dropAll, findView, loadView } from './copies.js'

export interface QueryAnswer {
  readonly columns: readonly string[]
  readonly rows: readonly string[]
  readonly isCut: boolean
  readonly milliseconds: number
}

const maxCharacters = 20_000
const maxAnswerBytes = 4_000_000

/**
 * @throws {SvcError} `INVALID_QUERY` with the position in the text; `RESULT_TOO_LARGE` for collections that are too
 * large
 */
export async function runQuery(
  backend: Backend,
  projectId: string,
  { query, rowLimit }: { query: string; rowLimit: number },
): Promise<QueryAnswer> {
  const { id: project } = await requireProject(backend, projectId)
  requireText(query)
  const text = stripSemicolon(query)
  return backend.queryCopies.use(backend, project, (copy) => runLoading(backend, copy, { query: text, rowLimit }))
}

function requireText(query: string): void {
  if (query.length > maxCharacters) throw invalidQuery('The query has more than 20,000 characters.')
  if (query.includes('\0') || !query.isWellFormed())
    throw invalidQuery('The query contains characters that are not text.')
  if (query.trim() === '') throw invalidQuery('The query is empty.')
}

/** Removes a final semicolon. */
function stripSemicolon(query: string): string {
  return query.replace(/;\s*(?:--[^\n]*\s*)*$/, '')
}

/** Loads tables when PostgreSQL reports them missing, so that PostgreSQL's own parser finds the names in a query. */
async function runLoading(
  backend: Backend,
  copy: Copy,
  { query, rowLimit }: { query: string; rowLimit: number },
): Promise<QueryAnswer> {
  let isFresh = copy.loaded.size === 0
  await loadCatalogNames(backend, copy, query)
  for (;;) {
    const begun = performance.now()
    try {
      const found = await runQueryOn(copy.db, query, { maxRows: rowLimit + 1, maxBytes: maxAnswerBytes })
      return { ...cut(found, rowLimit), milliseconds: Math.round(performance.now() - begun) }
    } catch (error) {
      const view = await missingView(backend, copy, error)
      if (!view) throw reworded(error, query, copy)
      await loadView(backend, copy, view).catch(async (fault) => {
        if (isFresh || !(fault instanceof SvcError)) throw fault
        // Starts with an empty copy, because other queries may have loaded views that this one must not see.
        isFresh = true
        await dropAll(copy)
      })
    }
  }
}

/** Loads collections named like a catalog, which PostgreSQL never reports missing. */
async function loadCatalogNames(backend: Backend, copy: Copy, query: string): Promise<void> {
  for (const [name] of query.matchAll(/\bpg_\w+/g)) {
    const view = copy.loaded.has(name) ? undefined : await findView(backend.db, copy.project, name)
    if (view) await loadView(backend, copy, view)
  }
}

async function missingView({ db }: Backend, copy: Copy, error: unknown): Promise<View | undefined> {
  const name = missingName(error)
  if (name === undefined || copy.loaded.has(name)) return undefined
  return findView(db, copy.project, name)
}

function missingName(error: unknown): string | undefined {
  if (!(error instanceof DatabaseError) || error.kind !== 'missing table') return undefined
  return /^relation "(.*)" does not exist$/s.exec(error.message)?.[1]
}

/** Returns the view for a name. @throws {SvcError} `NOT_FOUND` */
export async function getView(backend: Backend, projectId: string, name: string): Promise<View> {
  const { id: project } = await requireProject(backend, projectId)
  const view = await findView(backend.db, project, name)
  if (!view) throw new SvcError('NOT_FOUND', `No collection "${name.slice(0, 80)}".`)
  return view
}

const simpler = 'The query crashed its database. Try a simpler query.'

/** Messages for failures that end a copy. */
const endMessages: { readonly [Kind in DatabaseErrorKind]?: string } = {
  timeout:
    'The query took over 5 seconds and was stopped. Select less data, or join on fields that few documents share.',
  'out of resources': 'The query took over 512 MB of memory and was stopped. Select less data.',
  'result too large': 'A row of the result is too large. Select less data.',
  unavailable: simpler,
  conflict: simpler,
  damaged: simpler,
}

/** Treats internal errors of PostgreSQL as a stack overflow, after which later results may be wrong. */
function findEnd({ kind, sqlState }: DatabaseError): string | undefined {
  return sqlState.startsWith('XX') ? simpler : endMessages[kind]
}

/** Checks whether a failure makes the copy unusable. Only errors explained by the query leave it intact. */
export function breaksCopy(error: unknown): boolean {
  if (!(error instanceof SvcError)) return true
  const { cause } = error
  return cause instanceof DatabaseError && !Object.hasOwn(refusals, cause.sqlState) && findEnd(cause) !== undefined
}

const refusals: Readonly<Record<string, string>> = {
  '25006': 'Queries cannot change data.',
  '08P01': 'Queries cannot have parameters. Write the value instead of $1.',
  '54001': 'The query is nested too deeply.',
}
const severalStatements = /^cannot insert multiple commands/
const notSelect = /DECLARE|INTO is not allowed/

function reworded(error: unknown, query: string, copy: Copy): unknown {
  if (!(error instanceof DatabaseError)) return error
  const { message, sqlState, position } = error
  const at = position === undefined ? 0 : placeIn(query, position)
  const refused = (words: string, place = 0) => invalidQuery(words, place, error)
  const known = refusals[sqlState] ?? findEnd(error)
  if (known !== undefined) return refused(known)
  if (severalStatements.test(message)) return refused('Send one statement at a time.')
  const missing = missingName(error)
  if (missing !== undefined) return refused(`No collection "${missing.slice(0, 80)}".`, at)
  const isAtStart = sqlState === '42601' && position !== undefined && query.slice(0, at).trim() === ''
  if (isAtStart || notSelect.test(message)) return refused('Only SELECT is allowed.', at)
  return refused(`${message.charAt(0).toUpperCase()}${message.slice(1)}.${hintFor(message, copy)}`, at)
}

/** Suggests quotes, because PostgreSQL lowercases unquoted names. */
function hintFor(message: string, { loaded }: Copy): string {
  const [, missing = ''] = /^column "?(?:\w+\.)?([^"\s]+)"? does not exist$/.exec(message) ?? []
  const columns = [...loaded.values()].flatMap(({ view }) => view.columns)
  const meant = columns.find(({ name }) => name.toLowerCase() === missing)
  return meant ? ` Write "${meant.name}" in double quotes.` : ''
}

/** Converts PostgreSQL's position, in characters from 1, to an index in the query. */
function placeIn(query: string, position: number): number {
  const characters = Math.max(0, position - 1 - beforeQuery.length)
  return [...query].slice(0, characters).join('').length
}

function invalidQuery(message: string, at = 0, cause?: unknown): SvcError {
  return new SvcError('INVALID_QUERY', message, [{ path: ['query', at], message, type: 'sql' }], { cause })
}

/** Cuts the rows to the requested number and the size limit. */
function cut({ columns, rows }: QueryRows, rowLimit: number): Omit<QueryAnswer, 'milliseconds'> {
  const kept = rows.slice(0, rowLimit).filter((row) => row !== null)
  return { columns, rows: kept, isCut: kept.length < rows.length }
}
