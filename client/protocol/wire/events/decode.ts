import { type Change, changeKinds } from '../../model/change.js'

/** Names of the kinds of changes in the form `plain`. */
export const plainNames = { created: 'create', updated: 'update', deleted: 'delete' } as const satisfies {
  readonly [Kind in Change['kind']]: string
}

/** Finds the kind of a change by its name in either form; undefined for other names. */
export function kindNamed(name: unknown): Change['kind'] | undefined {
  return changeKinds.find((kind) => name === kind || name === plainNames[kind])
}
