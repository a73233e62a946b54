/** Describes the missing parts of a recorded request. Without them, the code or command would do something else. */
import type { RequestRecord } from '../protocol/control/requests.js'

type Recorded = Pick<RequestRecord, 'path' | 'request'>

/** Returns one sentence for each part that the developer must fill in. @param bodyPlace instruction for the body */
export function describeMissingParts({ path, request: { body } }: Recorded, bodyPlace: string): string[] {
  const isWhole = hasWholeBody(body)
  return [
    // A real URL never contains this character unescaped.
    ...(path.includes('…') ? ['The recorded URL is cut. Complete it.'] : []),
    ...(isMasked(path) ? ['The URL contains a masked secret. Fill it in.'] : []),
    ...(isWhole ? [] : [`The recorded body is incomplete: ${bodyPlace}.`]),
    ...(isWhole && body.isMasked ? ['The body contains a masked secret. Fill it in.'] : []),
  ]
}

/** Tells whether the whole body was recorded, masked or not. */
export function hasWholeBody({ text, bytes, isCut, leftOut }: Recorded['request']['body']): boolean {
  return text === null ? leftOut === null || leftOut === 'empty' || bytes === 0 : !isCut
}

export function isMasked(text: string): boolean {
  return text.includes('[masked]')
}
