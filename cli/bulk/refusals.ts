/** What the service did not take of some operations, and why. */
import type { ErrorCode, SvcError } from '../../client/protocol/model/errors.js'
import { count } from '../terminal/print.js'
import type { BadLine, Operation } from './operations.js'

export interface Refusal extends BadLine {
  readonly id: string
  /** As in the answer of the service. */
  readonly code: ErrorCode
}

/** What of a file was refused, and the first of it, in the order of its lines. */
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

/** The first refusals as lines for people, and how many more there are. */
export function refusalLines<One extends BadLine>(
  { refused, refusals }: { readonly refused: number; readonly refusals: readonly One[] },
  nameOf: (one: One) => string,
): string[] {
  const shown = refusals.slice(0, maxShown)
  const more = refused - shown.length
  return [...shown.map((one) => `${nameOf(one)}  ${one.problem}`), ...(more > 0 ? [`… and ${count(more)} more`] : [])]
}

/** Failures that a single operation can cause; all others concern the whole work. */
export function isAboutSome({ code }: SvcError): boolean {
  return ['VALIDATION_ERROR', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'RESULT_TOO_LARGE', 'INVALID_BODY'].includes(code)
}

export function wordsOf({ issues, message }: SvcError): string {
  return issues.length > 0 ? issues.map((issue) => issue.message).join('; ') : message
}
