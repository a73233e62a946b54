import type { z } from 'zod'
import type { requests } from '../../../client/protocol/control/requests.js'
import type { KeptRequest } from '../../core/requests/request-log.js'
import { ownPaths } from '../logging/log.js'
import { cutMark } from './masking.js'

/** Changes to a request for its replay. */
export type Edits = z.output<(typeof requests.replay)['request']>

/** Names a replay. Removed before anything else sees the request. */
export const replayHeader = 'svc-replay'

/** Returns why a request cannot be replayed with these edits; undefined if it can. */
export function whyNoReplay(request: KeptRequest, edits: Edits = {}): string | undefined {
  const { method, url, isSecret, state, answerBody, caller, headers } = request
  if (isSecret) return 'Its route handles logins or accounts, so its contents are masked and not recorded.'
  if (method === 'OPTIONS') return 'It is a CORS preflight.'
  if ('upgrade' in headers) return 'It opened a WebSocket.'
  if (state === 'open' || answerBody.leftOut === 'stream') return 'Its answer is a stream.'
  if (edits.path === undefined && url.includes(cutMark)) return 'Its address was not recorded completely.'
  if (edits.path?.startsWith(ownPaths)) return `Paths below "${ownPaths}" are not part of a project's API.`
  if (edits.body === undefined) {
    const why = whyNoBody(request)
    if (why) return why
  }
  const wasRefused = !caller && ('authorization' in headers || 'x-api-key' in headers)
  if (!wasRefused || hasCredentials(edits)) return undefined
  return 'Its key or token was refused and not recorded. Add a valid one.'
}

function whyNoBody({ body }: KeptRequest): string | undefined {
  if (body.leftOut === 'binary') return 'Its files were not recorded.'
  if (body.leftOut === 'memory') return 'Its body was dropped to make room for newer requests.'
  const isWhole = !body.isCut && (body.leftOut !== 'unread' || body.bytes === 0)
  return isWhole ? undefined : 'Its body was not recorded completely.'
}

export function hasCredentials({ headers = {} }: Edits): boolean {
  return Object.entries(headers).some(([name, value]) => value !== null && /^(?:authorization|x-api-key)$/i.test(name))
}
