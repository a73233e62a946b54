import type { IncomingHttpHeaders } from 'node:http'
import { SvcError } from '../../client/model/errors.js'
import type { Backend, Identity } from '../core/context.js'
import { identify } from '../core/projects.js'

/**
 * Who asks, by `x-api-key`, by `authorization: Bearer`, or by both: then both must be good. Contract 6.5.
 *
 * @throws {SvcError} `UNAUTHORIZED`, or `INVALID_TOKEN` for something that looks like a user's token.
 */
export async function identifyCaller(backend: Backend, headers: IncomingHttpHeaders): Promise<Identity> {
  const header = headers['x-api-key']
  const key = Array.isArray(header) ? header[0] : header
  const bearer = headers.authorization === undefined ? undefined : readBearer(headers.authorization)

  if (bearer !== undefined) {
    const byBearer = await identifyKey(backend, bearer, looksLikeToken(bearer) ? badToken : badKey)
    if (key === undefined || key === bearer) return byBearer
    const byHeader = await identifyKey(backend, key, badKey)
    if (byBearer.project.id !== byHeader.project.id) {
      throw new SvcError('UNAUTHORIZED', 'The two API keys belong to different projects.')
    }
    return byBearer.caller.secret ? byBearer : byHeader
  }
  if (key !== undefined) return identifyKey(backend, key, badKey)
  throw new SvcError('UNAUTHORIZED', 'Send an API key, as "x-api-key: <key>" or "authorization: Bearer <key>".')
}

async function identifyKey(backend: Backend, key: string, refusal: () => SvcError): Promise<Identity> {
  // Longer than any key: not worth a look-up.
  const identity = key.length > 0 && key.length <= 200 ? await identify(backend, key) : undefined
  if (!identity) throw refusal()
  return identity
}

function readBearer(authorization: string): string {
  const [, token] = /^bearer +(\S+) *$/i.exec(authorization) ?? []
  if (token === undefined) throw new SvcError('UNAUTHORIZED', 'The "authorization" header takes "Bearer <key>".')
  return token
}

function looksLikeToken(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text)
}

function badKey() {
  return new SvcError('UNAUTHORIZED', 'The API key is not valid.')
}

function badToken() {
  return new SvcError('INVALID_TOKEN')
}
