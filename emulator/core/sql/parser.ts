/** PostgreSQL's own parser, loaded when a query comes. */
import { most } from './allowed.js'
import { nodeOf, RefusedQuery, type Tree } from './check-query.js'

export interface Statement {
  readonly select: Tree
  /** Its own text, without the semicolon, and where that begins. */
  readonly text: string
  readonly start: number
}

type Parser = Pick<typeof import('libpg-query'), 'parseSync' | 'scanSync'>

let loading: Promise<Parser> | undefined

function load(): Promise<Parser> {
  loading ??= import('libpg-query').then(async (parser) => {
    await parser.loadModule()
    return parser
  })
  return loading
}

/** @throws {RefusedQuery} where it is not one SELECT */
export async function parseSelect(text: string): Promise<Statement> {
  if (text.length > most.characters) throw new RefusedQuery('The query has more than 20,000 characters.', 0)
  if (text.includes('\0') || !text.isWellFormed()) throw new RefusedQuery('The query holds what is not text.', 0)
  if (text.trim() === '') throw new RefusedQuery('There is no query.', 0)
  const parser = await load()
  // Counted first: the parser's stack is not freed after it has run over.
  if (wordsOf(parser, text) > most.tokens) throw new RefusedQuery('The query has more than 2,000 words.', 0)
  return oneSelect(
    text,
    attempt(() => parser.parseSync(text) as Parsed, text),
  )
}

/** The same of a statement that holds such a query, whatever its length. */
export async function parseWhole(text: string): Promise<Tree> {
  const parser = await load()
  return oneSelect(text, parser.parseSync(text) as Parsed).select
}

interface Parsed {
  readonly stmts?: readonly { readonly stmt?: unknown; readonly stmt_location?: number; readonly stmt_len?: number }[]
}

/** A text that ends inside of a word is not counted: the parser refuses it before it builds anything. */
function wordsOf({ scanSync }: Parser, text: string): number {
  try {
    return scanSync(text).tokens.length
  } catch {
    return 0
  }
}

/** What PostgreSQL says of a text that it cannot read, with the place. */
function attempt<Result>(work: () => Result, text: string): Result {
  try {
    return work()
  } catch (error) {
    const { message, sqlDetails } = error as Error & { sqlDetails?: { cursorPosition: number } }
    const before = [...text].slice(0, Math.max(0, sqlDetails?.cursorPosition ?? 0)).join('')
    throw new RefusedQuery(`${message.charAt(0).toUpperCase()}${message.slice(1)}.`, Buffer.byteLength(before))
  }
}

function oneSelect(text: string, { stmts = [] }: Parsed): Statement {
  const [first, second] = stmts
  if (!first) throw new RefusedQuery('There is no query.', 0)
  if (second) throw new RefusedQuery('One statement at a time.', second.stmt_location ?? 0)
  const [kind, select] = nodeOf(first.stmt)
  if (kind !== 'SelectStmt') throw new RefusedQuery('Only select is allowed.', first.stmt_location ?? 0)
  const bytes = Buffer.from(text)
  const begin = first.stmt_location ?? 0
  const length = first.stmt_len ?? bytes.length - begin
  return {
    ...{ select, text: bytes.subarray(begin, begin + length).toString() },
    start: bytes.subarray(0, begin).toString().length,
  }
}
