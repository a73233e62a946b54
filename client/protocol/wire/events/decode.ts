import { type Change, changeKinds } from '../../model/change.js'

/** What the form `plain` calls the kinds of changes. */
export const plainNames = { created: 'create', updated: 'update', deleted: 'delete' } as const satisfies {
  readonly [Kind in Change['kind']]: string
}

/** The kind of a change by its name in either form; nothing for the name of anything else. */
export function kindNamed(name: unknown): Change['kind'] | undefined {
  return changeKinds.find((kind) => name === kind || name === plainNames[kind])
}
