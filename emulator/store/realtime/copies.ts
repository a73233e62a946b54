/**
 * Locates the copy of a change's document. Most changes contain it. Small documents created together on PGlite share a
 * row: PostgreSQL compresses only rows over 2 KB, which several of them reach. The last change of each group holds the
 * copies. Old changes are deleted from the front, so that the remaining ones keep their copies.
 */
import { type Fragment, literal, sql } from '../../database/port.js'
import { maxTextBytes } from '../sql-fragments.js'

/** The size of a group. Reading one copy unpacks those of its group. */
const together = 16
/** A longer document makes its own row long enough to be compressed, or nearly so. */
const maxCharacters = 1_000
/** Assumes three bytes for each character, and the spaces that PostgreSQL adds. */
const maxSharedBytes = literal(maxCharacters * 3 * 1.5)

/** Whether documents that are created together can share their copies. */
export function areCopiesSmall(documents: readonly { readonly json: string }[]): boolean {
  return documents.length > 1 && documents.every(({ json }) => json.length <= maxCharacters)
}

/** Formats documents as one JSON array of groups. Each group is stored as it is. */
export function inGroups(documents: readonly { readonly json: string }[]): string {
  let text = ''
  for (const [at, { json }] of documents.entries()) {
    if (at > 0) text += at % together === 0 ? '],[' : ','
    text += json
  }
  return `[[${text}]]`
}

/** The columns that locate a change's copy, and their values for the row of `fresh` at that position. */
export function sharedCopy(
  groups: Fragment,
  position: Fragment,
  count: number,
): { columns: Fragment; values: Fragment } {
  const size = literal(together)
  const last = sql`least((${position} + ${size} - 1) / ${size} * ${size}, ${count}::bigint)`
  return {
    columns: sql`copies_ahead, copies`,
    values: sql`(${last} - ${position})::smallint, case when ${position} = ${last} then ${groups} -> ((${position} - 1) / ${size})::int end`,
  }
}

/** The columns that a page of changes reads to locate the copies. */
export const copyColumns = sql`project_id, data, copies_ahead`

/** The document after the change, for the row `c` with `copyColumns`. */
export const copyOf = sql`case when c.copies_ahead is null then c.data else (
      select h.copies -> (-1 - c.copies_ahead) from changes h where h.project_id = c.project_id and h.seq = c.seq + c.copies_ahead
    ) end`

/**
 * Whether a row is the first of its group in a page, with the window `earlier` by number. `groupOf` loads copies only
 * for it.
 */
export const isFirstOfGroup = sql`seq + copies_ahead is distinct from lag(seq + copies_ahead) over earlier`

/**
 * The copies of a group, one per line, for the row `c` with `copyColumns` and `is_first_of_group`. As text, `jsonb`
 * contains no line feeds.
 */
export const groupOf = sql`case when c.is_first_of_group and c.copies_ahead is not null then (
      select string_agg(copy::text, chr(10))
      from changes h, jsonb_array_elements(h.copies) copy
      where h.project_id = c.project_id and h.seq = c.seq + c.copies_ahead
    ) end`

/** The columns with the copies of a page. */
export interface GroupRow {
  readonly copies_ahead: number | null
  readonly copies: string | null
}

/** Gives each row of a page its own copy, in order. */
export function withCopies<Row extends object>(rows: readonly (Row & GroupRow)[]): Row[] {
  let group: readonly string[] = []
  return rows.map((row) => {
    if (row.copies_ahead === null) return row
    if (row.copies !== null) group = row.copies.split('\n')
    return { ...row, data: group.at(-1 - row.copies_ahead) }
  })
}

/** An upper bound of the text of a change's copies in bytes, without reading them. */
export const maxCopyBytes = sql`(case when copies_ahead is null then ${maxTextBytes(sql`data`)} else ${maxSharedBytes} end
          + ${maxTextBytes(sql`before`)})::int`
