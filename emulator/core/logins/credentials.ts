/** Identifies the caller behind an API key or a user token. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Project, ProjectSettings } from '../../../client/protocol/model/project.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'
import { type SessionRow, type StandingSession, selectSession, selectSessions } from '../../store/accounts/sessions.js'
import { selectKeysById, selectProjectsById } from '../../store/projects.js'
import type { Backend, Identity, SignedInUser, TokenIdentity } from '../context.js'
import { type ApiKey, callerFor } from '../identity.js'
import { identify } from '../projects/projects.js'
import { badToken, looksLikeToken, readClaims, requireSigned } from './tokens.js'

/** No key or token that we issue is longer, so longer texts skip the lookup. */
const maxLength = 2_000

/** @throws {SvcError} `UNAUTHORIZED` for a bad key, `INVALID_TOKEN` for a bad token. */
export function identifyText(backend: Backend, text: string, problem?: UnknownText): Promise<Identity> {
  return looksLikeToken(text) ? identifyToken(backend, text) : identifyKey(backend, text, problem)
}

/** How an unknown text was sent: as a key, or after "Bearer" beside a key. */
type UnknownText = 'unknown key' | 'unknown bearer'

export async function identifyKey(backend: Backend, key: string, problem?: UnknownText): Promise<Identity> {
  const isPossible = key.length > 0 && key.length <= maxLength && !looksLikeToken(key)
  const identity = isPossible ? await identify(backend, key) : undefined
  const granted = identity?.caller.key
  if (!identity || !granted) throw unknownKey(problem)
  const { project } = identity
  requireUnexpired(backend, project, granted)
  backend.keyUses.note(granted.id, backend.now(project.id))
  return identity
}

/** Identifies the user of a token if its session is still open. Contract 6.4. */
async function identifyToken(backend: Backend, token: string): Promise<Identity> {
  const { identity, expiresAt } = await backend.caches.tokens.of(token, () => readToken(backend, token))
  // Checks again, because a cached token may have expired since it was read.
  if (expiresAt <= backend.now(identity.project.id).getTime()) throw badToken('wrong signature or expired')
  return identity
}

async function readToken(backend: Backend, token: string): Promise<TokenIdentity> {
  if (token.length > maxLength) throw badToken('malformed token')
  const claims = readClaims(token)
  const now = backend.now(claims.project)
  const found = await selectSession(backend.db, claims, now.toISOString())
  if (!found) throw badToken('ended session')
  const { project, tokenSecret, row } = found
  const expiresAt = await requireSigned(token, backend.signingKey(tokenSecret), now)
  const user = signedIn(row, project.settings)
  return { identity: { project, caller: { id: user.id, key: undefined, user, secret: false } }, expiresAt }
}

/**
 * Identifies callers again, because their permissions may have changed. Keeps the order; undefined if the session or
 * key has ended. Queries each table once, because there may be thousands of callers.
 */
export async function identifyAgain(
  backend: Backend,
  identities: readonly Identity[],
): Promise<(Identity | undefined)[]> {
  const { db } = backend
  const unique = (selectId: (identity: Identity) => string | undefined) => [
    ...new Set(identities.flatMap((identity) => selectId(identity) ?? [])),
  ]
  const keys = await selectKeysById(
    db,
    unique(({ caller }) => caller.key?.id),
  )
  const keysByName = new Map(keys.map(({ project, key }) => [`${key.id} ${project}`, key]))
  const sessions = await selectSessions(
    db,
    unique(({ caller }) => caller.user?.sessionId),
  )
  const projects = await selectProjectsById(
    db,
    unique(({ project }) => project.id),
  )
  return identities.map(({ project: { id }, caller }) => {
    const project = projects.get(id)
    if (!project) return undefined
    const key = caller.key && keysByName.get(`${caller.key.id} ${id}`)
    if (caller.key && (!key || hasExpired(backend, project, key))) return undefined
    if (!caller.user) return key && { project, caller: callerFor(key) }
    const user = identifyUserAgain(backend, project, caller.user, sessions.get(caller.user.sessionId))
    // A user's ticket never carries a secret key's rights unless that key is still secret.
    return user && { project, caller: { id: user.id, key, user, secret: caller.secret && key?.secret === true } }
  })
}

function identifyUserAgain(
  { now }: Backend,
  { id, settings }: Project,
  user: SignedInUser,
  row: StandingSession | undefined,
): SignedInUser | undefined {
  // Compares the user too, because a user belongs to one project.
  return row?.user_id === user.id && Date.parse(row.expires_at) > now(id).getTime()
    ? signedIn(row, settings)
    : undefined
}

/** @throws {SvcError} `UNAUTHORIZED` */
export function requireUnexpired(backend: Backend, project: Pick<Project, 'id'>, key: ApiKey): void {
  if (!hasExpired(backend, project, key)) return
  const reason: Reason = { kind: 'credentials', problem: 'expired key' }
  throw new SvcError('UNAUTHORIZED', 'The API key has expired.', [], { reason })
}

function hasExpired({ now }: Backend, { id }: Pick<Project, 'id'>, { expiresAt }: ApiKey): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= now(id).getTime()
}

/** Identifies the user of an open session. @throws {SvcError} `INVALID_TOKEN` */
export async function identifySession(
  backend: Backend,
  project: string,
  { user, session }: { user: string; session: string },
): Promise<Identity> {
  const found = await selectSession(backend.db, { project, user, session }, backend.now(project).toISOString())
  if (!found) throw badToken('ended session')
  const signed = signedIn(found.row, found.project.settings)
  return { project: found.project, caller: { id: signed.id, key: undefined, user: signed, secret: false } }
}

const unknownTexts: { readonly [Problem in UnknownText]: string } = {
  'unknown key': 'The API key is not valid.',
  'unknown bearer': 'The text after "Bearer" is neither a user token nor an API key.',
}

export function unknownKey(problem: UnknownText = 'unknown key'): SvcError {
  const reason: Reason = { kind: 'credentials', problem }
  return new SvcError('UNAUTHORIZED', unknownTexts[problem], [], { reason })
}

function signedIn(row: SessionRow, { trustDataRole }: ProjectSettings): SignedInUser {
  const roles: string[] = JSON.parse(row.roles)
  return {
    id: row.user_id,
    sessionId: row.id,
    roles: trustDataRole && row.trusted_role !== null ? [...roles, row.trusted_role] : roles,
    isVerified: row.email_verified,
    signedInAt: row.signed_in_at,
  }
}
