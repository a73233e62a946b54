/** What a recorded request does not hold of what was sent: without it, a command or code does something else. */
import type { RequestRecord } from '../protocol/control/requests.js'

type Recorded = Pick<RequestRecord, 'path' | 'request'>

/** Sentences that say what to put in before it is sent. @param bodyPlace what to do with the body */
export function lackingOf({ path, request: { body } }: Recorded, bodyPlace: string): string[] {
  const isWhole = hasWholeBody(body)
  return [
    // No address holds it: it would be escaped.
    ...(path.includes('…') ? ['The address is not kept whole: complete it.'] : []),
    ...(isMasked(path) ? ['What is masked in the address is a secret: put it in.'] : []),
    ...(isWhole ? [] : [`The body is not kept whole: ${bodyPlace}.`]),
    ...(isWhole && body.isMasked ? ['What is masked in the body is a secret: put it in.'] : []),
  ]
}

/** Whether all of the body is there, masked or not. */
export function hasWholeBody({ text, bytes, isCut, leftOut }: Recorded['request']['body']): boolean {
  return text === null ? leftOut === null || leftOut === 'empty' || bytes === 0 : !isCut
}

export function isMasked(text: string): boolean {
  return text.includes('[masked]')
}
