/**
 * The `refusals` axis: requests that the deployed service refuses, answers or ignores in another way than the specification says.
 * Each difference is one switch.
 */

import type { Change } from '../../model/change.js'
import { everywhere, nowhere, type OperatorPlaces } from '../../model/document.js'
import type { ErrorCode, Issue } from '../../model/errors.js'
import { type Leniency, strict } from '../../model/leniency.js'
import type { Path } from '../../model/path.js'
import type { CredentialsProblem } from '../../model/requests/reason.js'
import { ownField } from '../../model/where.js'

/** Another status for a failure, by its code or by the problem with its credentials. */
export interface OtherStatus {
  readonly of: ErrorCode | CredentialsProblem
  readonly status: number
  /** Answers a list with this problem instead of a text. */
  readonly issue?: Issue
}

interface RefusalForm {
  /** Whether a `limit` outside the range of a page is refused. Otherwise it counts as the nearest one. */
  readonly refusesLimits: boolean
  /** Whether a document without fields and files, and an update without changes, are refused. */
  readonly refusesEmpty: boolean
  /** Whether the header `x-api-key` is required even with a user token. */
  readonly requiresKey: boolean
  /** Whether a document can be put. */
  readonly hasPut: boolean
  /** Whether a word after `__` that is not a suffix is refused. Otherwise it is part of the name of the field. */
  readonly refusesUnknownSuffixes: boolean
  /** Whether the suffix after `a__or__b` applies to both fields. Otherwise each field has its own. */
  readonly sharesSuffixes: boolean
  /** Suffixes of the `filters` form that count as unknown. */
  readonly unknownSuffixes: readonly string[]
  /** The places in which `$append`, `$remove` and `$unset` change fields. Elsewhere they are stored as fields. */
  readonly operators: { readonly document: OperatorPlaces; readonly user: OperatorPlaces }
  /** Returns the path that a name in `select` stands for. */
  selected(path: Path): Path
  /** Whether a socket of one collection tells a change. */
  tells(kind: Change['kind'], hasFilters: boolean): boolean
  /** Whether an invalid user token beside a valid key is refused on documents. Otherwise it counts as not sent. */
  readonly refusesBadTokens: boolean
  readonly statuses: readonly OtherStatus[]
  readonly leniency: Leniency
}

const keyMissing: Issue = { in: 'header', path: ['x-api-key'], message: 'Field required', type: 'missing' }

export const refusalForms = {
  spec: {
    refusesLimits: false,
    refusesEmpty: false,
    requiresKey: false,
    hasPut: true,
    refusesUnknownSuffixes: true,
    sharesSuffixes: true,
    unknownSuffixes: [],
    operators: { document: everywhere, user: everywhere },
    selected: (path) => path,
    tells: () => true,
    refusesBadTokens: true,
    statuses: [],
    leniency: strict,
  },
  deployed: {
    refusesLimits: true,
    refusesEmpty: true,
    requiresKey: true,
    hasPut: false,
    refusesUnknownSuffixes: false,
    sharesSuffixes: false,
    unknownSuffixes: ['icontains'],
    operators: { document: nowhere, user: { beside: true, inside: false } },
    // A bare name is looked up beside the data, where only the id and the times are.
    selected: (path) => ((path[0] === 'data' && path.length > 1) || ownField(path) ? path : ['id']),
    // Filters are compared with the record instead of its data, and match nothing.
    tells: (kind, hasFilters) => kind !== 'deleted' && !hasFilters,
    refusesBadTokens: false,
    statuses: [
      { of: 'none sent', status: 422, issue: keyMissing },
      { of: 'unknown key', status: 400 },
      { of: 'unknown email', status: 404 },
      { of: 'wrong password', status: 400 },
      { of: 'EMAIL_ALREADY_EXISTS', status: 400 },
      { of: 'COLLECTION_EXISTS', status: 400 },
      { of: 'INVALID_QUERY', status: 422 },
    ],
    leniency: {
      takesWeakPasswords: true,
      skipsMissing: true,
      matchesMissing: false,
      sortsAsText: true,
      dropsLostLinks: true,
      keepsFiles: true,
      createOnWrite: 'touch',
    },
  },
} as const satisfies { readonly [form: string]: RefusalForm }
