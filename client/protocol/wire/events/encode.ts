/** The `events` axis: names of the kinds of changes. Spec, "Events". */
import type { Change } from '../../model/change.js'

/** A kind without its last letter. Clients decode plain names by this rule, so other names must not compile. */
type PlainName<Kind extends Change['kind']> = Kind extends `${infer Name}d` ? Name : never

const plainNames = { created: 'create', updated: 'update', deleted: 'delete' } as const satisfies {
  readonly [Kind in Change['kind']]: PlainName<Kind>
}

export const eventNames = {
  past: { encode: (kind) => kind },
  plain: { encode: (kind) => plainNames[kind] },
} as const satisfies { readonly [form: string]: { encode(kind: Change['kind']): string } }
