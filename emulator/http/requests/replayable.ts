import type { KeptRequest } from '../../core/requests/request-log.js'

/** Why a request cannot be sent again as it was; nothing where it can. */
export function whyNoReplay({
  method,
  isSecret,
  state,
  body,
  answerBody,
  caller,
  headers,
}: KeptRequest): string | undefined {
  if (isSecret) return 'Requests of logins and accounts are not repeated: what they carry is masked, and is not kept.'
  if (method === 'OPTIONS') return 'A preflight is not repeated.'
  if (state === 'open' || answerBody.leftOut === 'stream') return 'Its answer is a stream.'
  if ('upgrade' in headers) return 'It opened a WebSocket.'
  if (body.leftOut === 'binary') return 'Files that came with it are not kept.'
  if (body.leftOut === 'memory') return 'Its body was let go to make room for newer ones.'
  if (body.isCut || (body.leftOut === 'unread' && body.bytes !== 0)) return 'Its body is not kept whole.'
  if (
    caller?.key === undefined &&
    caller?.user === undefined &&
    ('authorization' in headers || 'x-api-key' in headers)
  ) {
    return 'Its key or token was refused, and is not kept. Send another one with it.'
  }
  return undefined
}
