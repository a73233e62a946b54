/** What belongs to the state of a project, table by table, and the tables that a snapshot keeps it in. */
import { type Fragment, identifier, makingRoom, type Sql, sql } from '../../database/port.js'
import { isOrphan } from '../files.js'

interface Part {
  /** By this column two rows are the same one. */
  readonly key: string
  /** Which rows of the table, called `t`, belong to a project. */
  rowsOf(project: string): Fragment
}

/** In an order in which they can be inserted. */
export const parts = {
  projects: { key: 'id', rowsOf: (project) => sql`t.id = ${project}` },
  collections: { key: 'id', rowsOf: (project) => sql`t.project_id = ${project}` },
  documents: {
    key: 'id',
    rowsOf: (project) => sql`t.collection_id in (select id from collections where project_id = ${project})`,
  },
  users: { key: 'id', rowsOf: (project) => sql`t.project_id = ${project}` },
  user_secrets: {
    key: 'user_id',
    rowsOf: (project) => sql`t.user_id in (select id from users where project_id = ${project})`,
  },
  sessions: { key: 'id', rowsOf: (project) => sql`t.project_id = ${project}` },
  files: {
    key: 'id',
    rowsOf: (project) => sql`t.id in (select f.id from files f where f.project_id = ${project} and not (${isOrphan}))`,
  },
  /** The built-in provider has the same accounts for all projects. */
  idp_accounts: { key: 'id', rowsOf: () => sql`true` },
} as const satisfies Readonly<Record<string, Part>>

export type PartName = keyof typeof parts

export const partNames = Object.keys(parts) as PartName[]

/** The name of the table in which a snapshot keeps a part. */
export function tableOf(snapshot: string, part: string): string {
  return `${tablePrefix}${snapshot.replaceAll('-', '')}_${part}`
}

export const tablePrefix = 'snap_'

/** The same as part of a statement. */
export function keptIn(snapshot: string, part: string): Fragment {
  return identifier(tableOf(snapshot, part))
}

/** A statement that may take minutes, and whose text is like no other: it is not kept prepared. */
export function onItsOwn({ text, values, takesSpace }: Fragment): Sql {
  return { text, values, takesSpace, planned: 'each time', patient: true }
}

/** The same, of one that frees more space than it takes. */
export function onItsOwnMakingRoom(fragment: Fragment): Sql {
  return { ...makingRoom(fragment), planned: 'each time', patient: true }
}
