/** The `order` axis: how lists are sorted. */
export const orderNames = {
  asc: { sort: 'orderBy', counts: true },
  /** Has no parameter to skip the total: `count` is a filter there. */
  desc: { sort: 'sort', counts: false },
} as const satisfies { readonly [form: string]: { readonly sort: string; readonly counts: boolean } }
