/**
 * Creates and checks the OAuth `state`: random, signed by the project together with its code's destination, usable
 * once, and bound to the browser if requested. Contract 7.3.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { deleteLogin, insertLogin, type PendingProviderLogin, updateLogin } from '../../store/providers/idp-logins.js'
import type { Context } from '../context.js'
import { hashSecret } from '../hashes.js'
import { getTokenSecret } from '../logins/sessions.js'
import { mainProvider, providerWithPage } from './provider-settings.js'

type Scope = Pick<Context, 'backend' | 'db' | 'project'>

const stateMilliseconds = 10 * 60_000

/** Destination of the provider's code: the service's callback or a page of the app. */
export type CodeGoesTo = 'service' | 'app'

const signedTexts: { readonly [To in CodeGoesTo]: string } = {
  service: 'state of a login',
  app: 'state of a login whose code goes to the app',
}

/** Providers limit the length of URLs. */
const maxPageCharacters = 1_000

/**
 * Creates a state, which becomes valid once `keepLogin` saves its login. Contains the provider, unless it is the main
 * one, and the app's page, so that a login ends there even after its row is deleted.
 */
export async function newLoginState(
  scope: Scope,
  to: CodeGoesTo,
  { provider, completeUrl }: Pick<PendingProviderLogin, 'provider' | 'completeUrl'>,
): Promise<string> {
  const random = randomBytes(18).toString('base64url')
  const named = provider === mainProvider ? '' : provider
  const page = completeUrl !== null && completeUrl.length <= maxPageCharacters ? completeUrl : ''
  const parts = page ? [random, named, Buffer.from(page).toString('base64url')] : named ? [random, named] : [random]
  const signed = parts.join('.')
  return `${signed}.${await sign(scope, to, signed)}`
}

/** Content of the state of a login through the service, also after the login ended. */
export interface StateContent {
  /** The main provider, or another one with a page, if the state is not ours. */
  readonly provider: string
  /** Page where the login ends, if it differs from the settings. */
  readonly page: string | undefined
}

export async function readState(scope: Scope, state: string): Promise<StateContent> {
  if (!(await isOurs(scope, 'service', state))) return { provider: providerWithPage(scope), page: undefined }
  const [, provider, page] = splitState(state).signed.split('.')
  return { provider: provider || mainProvider, page: page && Buffer.from(page, 'base64url').toString() }
}

/** Placeholder for the state in stored URLs, so that nobody can read a state from the table. */
const statePlaceholder = '{state}'

/** Saves a login before the browser leaves with that state. */
export async function keepLogin({ backend, db, project }: Scope, state: string, login: PendingProviderLogin) {
  const expiresAt = new Date(backend.now(project.id).getTime() + stateMilliseconds).toISOString()
  const loginUrl = login.loginUrl?.replaceAll(state, statePlaceholder) ?? null
  await insertLogin(db, { stateHash: hashSecret(state), project: project.id, expiresAt }, { ...login, loginUrl })
}

/** The URL to send a browser to, and the cookie it has to bring back. */
export interface Departure {
  readonly loginUrl: string
  readonly cookie: string
}

/**
 * Binds a login to the browser that starts it. Undefined if the state is not ours, has expired, or belongs to another
 * browser.
 */
export async function bindToBrowser(
  scope: Scope,
  state: string,
  cookies: string | undefined,
): Promise<Departure | undefined> {
  if (!(await isOurs(scope, 'service', state))) return undefined
  const { backend, db, project } = scope
  const secret = randomBytes(18).toString('base64url')
  const found = await updateLogin(db, {
    stateHash: hashSecret(state),
    project: project.id,
    at: backend.now(project.id).toISOString(),
    browserHash: hashSecret(secret),
    shownHash: hashCookie(cookies, state),
  })
  if (!found) return undefined
  const { protocol } = new URL(found.redirectUrl)
  const isSecure = protocol === 'https:' ? '; Secure' : ''
  const lasts = `Max-Age=${stateMilliseconds / 1_000}; Path=${cookiePath(found.redirectUrl)}; HttpOnly; SameSite=Lax${isSecure}`
  return {
    loginUrl: found.loginUrl.replaceAll(statePlaceholder, state),
    cookie: `${cookieName(state)}=${secret}; ${lasts}`,
  }
}

/**
 * Uses up the login with that state. Undefined if the state is not ours, is used, is older than ten minutes, or belongs
 * to another browser. Refuses to finish a login in the service if its code goes to the app, because only the app can
 * match the state to its user.
 */
export async function takeOpenLogin(
  scope: Scope,
  by: CodeGoesTo,
  { state, cookies }: { state: string; cookies?: string | undefined },
): Promise<PendingProviderLogin | undefined> {
  const isKnown = (await isOurs(scope, by, state)) || (by === 'app' && (await isOurs(scope, 'service', state)))
  if (!isKnown) return undefined
  const { backend, db, project } = scope
  return deleteLogin(db, {
    stateHash: hashSecret(state),
    project: project.id,
    at: backend.now(project.id).toISOString(),
    browserHash: hashCookie(cookies, state),
  })
}

/** Checks only the signature, to save a query for states that we did not sign. */
async function isOurs(scope: Scope, to: CodeGoesTo, state: string): Promise<boolean> {
  const { signed, signature } = splitState(state)
  return signed !== '' && isSame(signature, await sign(scope, to, signed))
}

function splitState(state: string): { signed: string; signature: string } {
  const [, signed = '', signature = ''] =
    /^([\w-]{24}(?:\.[\w-]{0,41}(?:\.[\w-]{1,6000})?)?)\.([\w-]{43})$/.exec(state) ?? []
  return { signed, signature }
}

/** Returns the path without a trailing slash, as the router treats both alike. */
export function cookiePath(address: string): string {
  return new URL(address).pathname.replace(/\/$/, '')
}

/** Gives each login a separate cookie, because one browser may have several logins in progress. */
function cookieName(state: string): string {
  return `svc-login-${hashSecret(state).slice(0, 16)}`
}

/** Hashes the cookie that the browser sent for that login. */
function hashCookie(cookies: string | undefined, state: string): string | null {
  const prefix = `${cookieName(state)}=`
  const shown = cookies?.split(/; */).find((cookie) => cookie.startsWith(prefix))
  return shown === undefined ? null : hashSecret(shown.slice(prefix.length))
}

async function sign(scope: Scope, to: CodeGoesTo, text: string): Promise<string> {
  const secret = await getTokenSecret(scope)
  return createHmac('sha256', secret).update(`${signedTexts[to]}: ${text}`).digest('base64url')
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
