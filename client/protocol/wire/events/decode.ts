/** The `events` axis, as clients decode it: the kind of a change behind each name. */
export const eventReaders = {
  past: (name) => name,
  plain: (name) => `${name}d`,
} as const satisfies { readonly [form: string]: (name: string) => string }
