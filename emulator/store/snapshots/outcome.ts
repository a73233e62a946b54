/** Reports the result of an undo for each effect of the command. */
import { identifier, sql } from '../../database/port.js'
import { effectsTable } from './effects.js'
import { keptIn, type PartName, parts, unprepared } from './parts.js'
import { type Restoring, rowContent } from './restoring.js'

export interface Outcome {
  /** Rows that are as they were before the command. */
  readonly restored: number
  /** Rows that the command added and that are gone. */
  readonly removed: number
  /** Rows that others have written since, or whose place is taken: some of them, and their number. */
  readonly kept: readonly { readonly id: string; readonly name: string | null }[]
  readonly keptCount: number
}

interface OutcomeRow {
  restored: number
  removed: number
  kept: string
  kept_count: number
}

/** The name of a row: the collection of a document, the name or address of other rows. */
const rowNames = {
  documents: sql`(select c.name from collections c where c.id = coalesce(t.collection_id, s.collection_id))`,
  collections: sql`coalesce(t.name, s.name)`,
  users: sql`coalesce(t.email, s.email)`,
  files: sql`coalesce(t.name, s.name)`,
} as const

export type CountedPart = keyof typeof rowNames & PartName

export const countedParts = Object.keys(rowNames) as CountedPart[]

export async function selectOutcome(
  { tx, project, id, columns }: Restoring,
  { part, most }: { readonly part: CountedPart; readonly most: number },
): Promise<Outcome> {
  const key = identifier(parts[part].key)
  const now = sql`select t.* from ${identifier(part)} t where ${parts[part].rowsIn(project)}`
  const [row] = await tx.query<OutcomeRow>(
    unprepared(sql`
      with outcomes as (
        select e.key, ${rowNames[part]} as name,
          s.${key} is not null and t.${key} is not null
            and ${rowContent(columns, part, sql`s`)} = ${rowContent(columns, part, sql`t`)} as is_restored,
          s.${key} is null and t.${key} is null as is_removed
        from ${effectsTable(id, part)} e
        left join ${keptIn(id, part)} s on s.${key} = e.key
        left join (${now}) t on t.${key} = e.key
      )
      select count(*) filter (where is_restored) as restored, count(*) filter (where is_removed) as removed,
        count(*) filter (where not is_restored and not is_removed) as kept_count,
        coalesce((
          select json_agg(json_build_object('id', k.key, 'name', k.name) order by k.key)
          from (select key, name from outcomes where not is_restored and not is_removed order by key limit ${most}::int) k
        ), '[]')::text as kept
      from outcomes`),
  )
  const { restored = 0, removed = 0, kept = '[]', kept_count: keptCount = 0 } = row ?? {}
  return { restored, removed, kept: JSON.parse(kept), keptCount }
}
