/** Describes the operations that the service refused. */
import type { ErrorCode, SvcError } from '../../client/protocol/model/errors.js'
import { count } from '../terminal/print.js'
import type { BadLine, Operation } from './operations.js'

export interface Refusal extends BadLine {
  readonly id: string
  /** Code from the service's response. */
  readonly code: ErrorCode
}

/** Counts the refused operations of a file and keeps the first ones, by line. */
export interface Refusals {
  readonly refused: number
  readonly refusals: readonly Refusal[]
}

export interface SentBatch {
  readonly accepted: number
  readonly refused: readonly Refusal[]
}

export function refusal({ line, id }: Operation, code: ErrorCode, problem: string): Refusal {
  return { line, id, code, problem }
}

export function both(one: SentBatch, other: SentBatch): SentBatch {
  return { accepted: one.accepted + other.accepted, refused: [...one.refused, ...other.refused] }
}

const maxShown = 20

/** Formats the first refusals, and how many more there are. */
export function refusalLines<One extends BadLine>(
  { refused, refusals }: { readonly refused: number; readonly refusals: readonly One[] },
  nameOf: (one: One) => string,
): string[] {
  const shown = refusals.slice(0, maxShown)
  const more = refused - shown.length
  return [...shown.map((one) => `${nameOf(one)}  ${one.problem}`), ...(more > 0 ? [`… and ${count(more)} more`] : [])]
}

/** Returns whether a single operation can cause the failure. Other failures concern the whole run. */
export function isAboutSome({ code }: SvcError): boolean {
  return ['VALIDATION_ERROR', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'RESULT_TOO_LARGE', 'INVALID_BODY'].includes(code)
}

export function describeRefusal({ issues, message }: SvcError): string {
  return issues.length > 0 ? issues.map((issue) => issue.message).join('; ') : message
}
