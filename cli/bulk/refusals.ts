/** What the service did not take of some operations, and why. */
import type { ErrorCode, SvcError } from '../../client/protocol/model/errors.js'
import type { BadLine, Operation } from './operations.js'

export interface Refusal extends BadLine {
  readonly id: string
  /** As in the answer of the service. */
  readonly code: ErrorCode
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

/** Failures that a single operation can cause; all others concern the whole work. */
export function isAboutSome({ code }: SvcError): boolean {
  return ['VALIDATION_ERROR', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'RESULT_TOO_LARGE', 'INVALID_BODY'].includes(code)
}

export function wordsOf({ issues, message }: SvcError): string {
  return issues.length > 0 ? issues.map((issue) => issue.message).join('; ') : message
}
