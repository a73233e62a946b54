/** What a command has done to the state that was saved before it: by part, the rows that are gone, other or new since. */
import { type Database, type Fragment, identifier, joinSql, sql, writing } from '../../database/port.js'
import { keptIn, onItsOwn, type PartName, partNames, parts } from './parts.js'
import { type CommonColumns, contentOf, selectColumns } from './restoring.js'

/** A part's table of effects: `key` of the row, and `mark` of it as the command has left it; null where it is gone. */
export function effectsOf(id: string, part: PartName): Fragment {
  return keptIn(id, `effects_${part}`)
}

/** What tells a row from the same row after another write. */
function markOf(columns: CommonColumns, part: PartName, row = sql`t`): Fragment {
  return sql`md5(${contentOf(columns, part, row)})`
}

/** Whether a row is as that mark says that the command has left it. */
export function hasMark(columns: CommonColumns, part: PartName, mark: Fragment, row = sql`t`): Fragment {
  return sql`${mark} = ${markOf(columns, part, row)}`
}

/**
 * Compares what is there with the snapshot. Whatever changes from now on is not the command's. Where it is not known when the
 * command ended, what is other or new may be of others: then only what is gone counts, and no row has a mark like the others'.
 */
export async function insertEffects(
  tx: Database,
  { project, id, isCertain }: { readonly project: string; readonly id: string; readonly isCertain: boolean },
): Promise<void> {
  const columns = await selectColumns(tx, id)
  for (const part of partNames) {
    const key = identifier(parts[part].key)
    const now = sql`select t.* from ${identifier(part)} t where ${parts[part].rowsOf(project)}`
    const mark = isCertain ? markOf(columns, part) : sql`'anybody'`
    await tx.query(
      onItsOwn(
        writing(sql`
        create table ${effectsOf(id, part)} as
        select coalesce(s.${key}, t.${key}) as key, case when t.${key} is null then null else ${mark} end as mark
        from ${keptIn(id, part)} s
        full join (${now}) t on t.${key} = s.${key}
        where s.${key} is null or t.${key} is null or ${contentOf(columns, part, sql`s`)} <> ${contentOf(columns, part, sql`t`)}`),
      ),
    )
  }
  await tx.query(writing(sql`update snapshots set is_settled = true where id = ${id}`))
}

/** Accounts of the built-in provider are not taken back, and a login is no effect of a command. */
const passedOver: readonly PartName[] = ['sessions', 'idp_accounts']

/** Whether the command has done anything that could be taken back. */
export async function selectHasEffects(tx: Database, id: string): Promise<boolean> {
  const found = partNames
    .filter((part) => !passedOver.includes(part))
    .map((part) => sql`exists (select from ${effectsOf(id, part)})`)
  const [row] = await tx.query<{ has_effects: boolean }>(onItsOwn(sql`select ${joinSql(found, ' or ')} as has_effects`))
  return row?.has_effects === true
}
