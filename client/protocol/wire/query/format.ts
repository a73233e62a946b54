import { encodeText } from '../sendable.js'

/** Parameters as a client writes them; those without a value are left out. */
export type GivenParameter = readonly [name: string, value: string | number | boolean | undefined]

/** What stands behind the `?` of an address. */
export function formatQuery(parameters: readonly GivenParameter[] = []): string {
  return parameters
    .flatMap(([name, value]) => (value === undefined ? [] : [name, value].map(encodeText).join('=')))
    .join('&')
}
