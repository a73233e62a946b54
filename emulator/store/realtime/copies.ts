/**
 * Where the copy of a change's document is. Most changes hold it themselves. Small documents that are created together on PGlite
 * share their copies: PostgreSQL compresses no row under 2 KB, and several of them are more than that. Those copies are with the
 * last change of each group, and deleting old changes begins with the first ones, so what is kept finds its copy.
 */
import { type Database, type Fragment, literal, sql } from '../../database/port.js'
import { mostTextBytes } from '../sql-words.js'

/** How many share their copies. To read one of them, those of its group are unpacked. */
const together = 16
/** A document that is longer makes its own row long enough to be compressed, or nearly so. */
const mostCharacters = 1_000
/** A character takes up to three bytes, and PostgreSQL writes spaces. */
const mostSharedBytes = literal(mostCharacters * 3 * 1.5)

/** Whether documents of these lengths share their copies when they are created together. */
export function shareCopies(db: Database, documents: readonly { readonly json: string }[]): boolean {
  if (db.capabilities.runsWritersTogether || documents.length === 1) return false
  return documents.every(({ json }) => json.length <= mostCharacters)
}

/** Documents as one JSON array of groups, each of which is stored as it is. */
export function inGroups(documents: readonly { readonly json: string }[]): string {
  let text = ''
  for (const [at, { json }] of documents.entries()) {
    if (at > 0) text += at % together === 0 ? '],[' : ','
    text += json
  }
  return `[[${text}]]`
}

/** The columns of a change that leads to its copy, and their values for the row of `fresh` with that place among so many. */
export function sharedCopy(groups: Fragment, place: Fragment, count: number): { columns: Fragment; values: Fragment } {
  const size = literal(together)
  const last = sql`least((${place} + ${size} - 1) / ${size} * ${size}, ${count}::bigint)`
  return {
    columns: sql`copies_ahead, copies`,
    values: sql`(${last} - ${place})::smallint, case when ${place} = ${last} then ${groups} -> ((${place} - 1) / ${size})::int end`,
  }
}

/** What a page of changes reads of the table to tell where their copies are. */
export const copyColumns = sql`project_id, data, copies_ahead`

/** The copy of a change's document, as it was after the change, for the row `c` with `copyColumns`. */
export const copyOf = sql`case when c.copies_ahead is null then c.data else (
      select h.copies -> (-1 - c.copies_ahead) from changes h where h.project_id = c.project_id and h.seq = c.seq + c.copies_ahead
    ) end`

/** Whether a row is the first of its group in a page, with `earlier` as its window by number: `groupOf` finds copies for it alone. */
export const isFirstOfGroup = sql`seq + copies_ahead is distinct from lag(seq + copies_ahead) over earlier`

/** The copies of a group for the row `c` with `copyColumns` and `is_first_of_group`, a line each: `jsonb` has no line feeds as text. */
export const groupOf = sql`case when c.is_first_of_group and c.copies_ahead is not null then (
      select string_agg(copy::text, chr(10))
      from changes h, jsonb_array_elements(h.copies) copy
      where h.project_id = c.project_id and h.seq = c.seq + c.copies_ahead
    ) end`

/** What a page has of its copies. */
export interface GroupRow {
  readonly copies_ahead: number | null
  readonly copies: string | null
}

/** The rows of a page in their order, each with its own copy. */
export function withCopies<Row extends object>(rows: readonly (Row & GroupRow)[]): Row[] {
  let group: readonly string[] = []
  return rows.map((row) => {
    if (row.copies_ahead === null) return row
    if (row.copies !== null) group = row.copies.split('\n')
    return { ...row, data: group.at(-1 - row.copies_ahead) }
  })
}

/** How many bytes of text a change's copies may become, without reading them. */
export const mostCopyBytes = sql`(case when copies_ahead is null then ${mostTextBytes(sql`data`)} else ${mostSharedBytes} end
          + ${mostTextBytes(sql`before`)})::int`
