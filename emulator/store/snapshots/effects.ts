/**
 * Records the effects of a command on the state saved before it: by part, the rows that are deleted, changed or new.
 */
import { type Database, type Fragment, identifier, joinSql, sql, writing } from '../../database/port.js'
import { keptIn, type PartName, partNames, parts, unprepared } from './parts.js'
import { type CommonColumns, rowContent, selectColumns } from './restoring.js'

/**
 * The effects of a part: `key` of each row, and `mark`, which identifies its content after the command; null if
 * deleted.
 */
export function effectsTable(id: string, part: PartName): Fragment {
  return keptIn(id, `effects_${part}`)
}

/** Identifies the content of a row, to notice later writes. */
function rowMark(columns: CommonColumns, part: PartName, row = sql`t`): Fragment {
  return sql`md5(${rowContent(columns, part, row)})`
}

/** Whether a row still has the content that the command left. */
export function hasMark(columns: CommonColumns, part: PartName, mark: Fragment, row = sql`t`): Fragment {
  return sql`${mark} = ${rowMark(columns, part, row)}`
}

/**
 * Compares the current state with the snapshot; later changes are not the command's. If it is unknown when the command
 * ended, changed and new rows may be from others. Then only deletions count, and no row matches a mark.
 */
export async function insertEffects(
  tx: Database,
  { project, id, isCertain }: { readonly project: string; readonly id: string; readonly isCertain: boolean },
): Promise<void> {
  const columns = await selectColumns(tx, id)
  for (const part of partNames) {
    const key = identifier(parts[part].key)
    const now = sql`select t.* from ${identifier(part)} t where ${parts[part].rowsIn(project)}`
    const mark = isCertain ? rowMark(columns, part) : sql`'anybody'`
    await tx.query(
      unprepared(
        writing(sql`
        create table ${effectsTable(id, part)} as
        select coalesce(s.${key}, t.${key}) as key, case when t.${key} is null then null else ${mark} end as mark
        from ${keptIn(id, part)} s
        full join (${now}) t on t.${key} = s.${key}
        where s.${key} is null or t.${key} is null or ${rowContent(columns, part, sql`s`)} <> ${rowContent(columns, part, sql`t`)}`),
      ),
    )
  }
  await tx.query(writing(sql`update snapshots set is_settled = true where id = ${id}`))
}

/** Undo skips accounts of the built-in provider, and logins, which are not effects of a command. */
const skippedParts: readonly PartName[] = ['sessions', 'idp_accounts']

/** Whether the command has effects to undo. */
export async function selectHasEffects(tx: Database, id: string): Promise<boolean> {
  const found = partNames
    .filter((part) => !skippedParts.includes(part))
    .map((part) => sql`exists (select from ${effectsTable(id, part)})`)
  const [row] = await tx.query<{ has_effects: boolean }>(
    unprepared(sql`select ${joinSql(found, ' or ')} as has_effects`),
  )
  return row?.has_effects === true
}
