/**
 * The `refusals` axis: requests that the deployed service refuses, answers or ignores in another way than the specification says.
 * Each difference is one switch.
 */
interface RefusalForm {
  /** Whether a `limit` outside the range of a page is refused. Otherwise it counts as the nearest one. */
  readonly refusesLimits: boolean
}

export const refusalForms = {
  spec: { refusesLimits: false },
  deployed: { refusesLimits: true },
} as const satisfies { readonly [form: string]: RefusalForm }
