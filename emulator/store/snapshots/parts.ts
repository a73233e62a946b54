/** Lists the tables of a project's state, and the tables in which a snapshot stores them. */
import { type Fragment, identifier, makingRoom, type Sql, sql } from '../../database/port.js'
import { isOrphan } from '../files.js'

interface Part {
  /** The column that identifies a row. */
  readonly key: string
  /** The condition for rows of the table, called `t`, of a project. */
  rowsIn(project: string): Fragment
}

/** In an order that satisfies foreign keys on insert. */
export const parts = {
  projects: { key: 'id', rowsIn: (project) => sql`t.id = ${project}` },
  collections: { key: 'id', rowsIn: (project) => sql`t.project_id = ${project}` },
  documents: {
    key: 'id',
    rowsIn: (project) => sql`t.collection_id in (select id from collections where project_id = ${project})`,
  },
  users: { key: 'id', rowsIn: (project) => sql`t.project_id = ${project}` },
  user_secrets: {
    key: 'user_id',
    rowsIn: (project) => sql`t.user_id in (select id from users where project_id = ${project})`,
  },
  sessions: { key: 'id', rowsIn: (project) => sql`t.project_id = ${project}` },
  files: {
    key: 'id',
    rowsIn: (project) => sql`t.id in (select f.id from files f where f.project_id = ${project} and not (${isOrphan}))`,
  },
  /** All projects share the accounts of the built-in provider. */
  idp_accounts: { key: 'id', rowsIn: () => sql`true` },
} as const satisfies Readonly<Record<string, Part>>

export type PartName = keyof typeof parts

export const partNames = Object.keys(parts) as PartName[]

/** The name of the table in which a snapshot stores a part. */
export function snapshotTable(snapshot: string, part: string): string {
  return `${tablePrefix}${snapshot.replaceAll('-', '')}_${part}`
}

export const tablePrefix = 'snap_'

/** The same name as a fragment. */
export function keptIn(snapshot: string, part: string): Fragment {
  return identifier(snapshotTable(snapshot, part))
}

/** Allows a statement to take minutes and does not keep it prepared, because its text is unique. */
export function unprepared({ text, values, takesSpace }: Fragment): Sql {
  return { text, values, takesSpace, planned: 'each time', patient: true }
}

/** Does the same for a statement that frees more space than it takes. */
export function unpreparedMakingRoom(fragment: Fragment): Sql {
  return { ...makingRoom(fragment), planned: 'each time', patient: true }
}
