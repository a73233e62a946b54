import type { IncomingHttpHeaders } from 'node:http'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Project } from '../../../client/protocol/model/project.js'
import type { CredentialsProblem } from '../../../client/protocol/model/requests/reason.js'
import type { Backend, Caller, Identity } from '../../core/context.js'
import { identifyKey, identifyText } from '../../core/logins/credentials.js'
import { looksLikeToken, readClaims } from '../../core/logins/tokens.js'
import { cachedProject, identify } from '../../core/projects/projects.js'
import type { PublicBudget } from './public-budget.js'

/**
 * Identifies the caller. Accepts a key as `x-api-key`, a key or user token as `authorization: Bearer`, or both. Both must then
 * be valid and belong to the same project. Contract 6.5.
 *
 * @throws {SvcError} `UNAUTHORIZED`, or `INVALID_TOKEN` for a text that looks like a user token
 */
export async function identifyCaller(backend: Backend, headers: IncomingHttpHeaders): Promise<Identity> {
  const header = headers['x-api-key']
  const key = Array.isArray(header) ? header[0] : header
  const bearer = headers.authorization === undefined ? undefined : readBearer(headers.authorization)

  if (bearer !== undefined) {
    const isAlone = key === undefined || key === bearer
    const byBearer = await identifyText(backend, bearer, isAlone ? 'unknown key' : 'unknown bearer')
    if (isAlone) return byBearer
    return combine(byBearer, await identifyKey(backend, key))
  }
  if (key !== undefined) return identifyKey(backend, key)
  throw noKeySent()
}

/**
 * Identifies a caller. Unknown keys count against the budget of the address that sends them. Valid keys never do.
 *
 * @throws {SvcError} as `identifyCaller` does, and `RATE_LIMITED`
 */
export async function withinKeyBudget<Found>(
  budget: PublicBudget,
  address: string,
  identify: () => Promise<Found>,
): Promise<Found> {
  try {
    return await identify()
  } catch (error) {
    countUnknownKey(budget, address, error)
    throw error
  }
}

/** Counts an unknown key against the budget of its address, in either header. @throws {SvcError} `RATE_LIMITED` */
export function countUnknownKey(budget: PublicBudget, address: string, error: unknown): void {
  const problem = credentialsProblem(error)
  if (problem === 'unknown key' || problem === 'unknown bearer') budget.enter(`${address} for invalid keys`)()
}

export function credentialsProblem(error: unknown): CredentialsProblem | undefined {
  const { reason } = error instanceof SvcError ? error : {}
  return reason?.kind === 'credentials' ? reason.problem : undefined
}

/**
 * Returns the project that a key or token names, valid or not. Use it only for the form of an answer, never for its content.
 *
 * @param isRefused whether they were already looked up and refused
 */
export async function projectNamed(
  backend: Backend,
  { 'x-api-key': key, authorization }: IncomingHttpHeaders,
  { isRefused }: { isRefused: boolean },
): Promise<Project | undefined> {
  const [, bearer] = /^bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  const named = [key, bearer].filter((text) => typeof text === 'string')
  for (const text of named) {
    // Looking up an invalid key again would find nothing.
    if (isRefused && named.length === 1 && !looksLikeToken(text)) continue
    const project = looksLikeToken(text)
      ? await cachedProject(backend, projectIn(text))
      : (await identify(backend, text.slice(0, maxKeyLength)))?.project
    if (project) return project
  }
  return undefined
}

/** Keys are far shorter. */
const maxKeyLength = 200

/** Returns the project that a token claims, or an id that doesn't exist if it claims none. */
function projectIn(token: string): string {
  try {
    return readClaims(token).project
  } catch {
    return ''
  }
}

/** Combines a user with a key, or picks the stronger of two keys. */
function combine(byBearer: Identity, byHeader: Identity): Identity {
  if (byBearer.project.id !== byHeader.project.id) {
    throw refused('two projects', 'The API key and the bearer token belong to different projects.')
  }
  const { user } = byBearer.caller
  if (!user) return byBearer.caller.secret ? byBearer : byHeader
  return { ...byHeader, caller: { ...byHeader.caller, id: user.id, user } }
}

function readBearer(authorization: string): string {
  const [, token] = /^bearer +(\S+) *$/i.exec(authorization) ?? []
  if (token === undefined) throw refused('not a bearer', 'The "authorization" header must be "Bearer <key>".')
  return token
}

/** Refuses a request without a key. */
export function noKeySent(): SvcError {
  return refused('none sent', 'Send an API key, as "x-api-key: <key>" or "authorization: Bearer <key>".')
}

function refused(problem: CredentialsProblem, message: string): SvcError {
  return new SvcError('UNAUTHORIZED', message, [], { reason: { kind: 'credentials', problem } })
}

/** Names a caller in logs, without any secret. */
export function describeCaller(caller: Caller | undefined): string {
  if (!caller) return 'nobody'
  if (caller.user) return `user ${caller.user.id}`
  return caller.secret ? 'secret key' : 'key'
}
