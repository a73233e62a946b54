import { encodeText } from '../sendable.js'

/** A query parameter. Omitted if it has no value. */
export type GivenParameter = readonly [name: string, value: string | number | boolean | undefined]

/** Formats a query string, without the `?`. */
export function formatQuery(parameters: readonly GivenParameter[] = []): string {
  return parameters
    .flatMap(([name, value]) => (value === undefined ? [] : [name, value].map(encodeText).join('=')))
    .join('&')
}
