/**
 * The `state` that goes out with a browser and has to come back: random, signed by the project for where its code goes, good once,
 * and bound to the browser where one asked for it. Contract 7.3.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { deleteLogin, insertLogin, type PendingProviderLogin, updateLogin } from '../../store/providers/idp-logins.js'
import type { Context } from '../context.js'
import { hashOf } from '../hashes.js'
import { tokenSecretOf } from '../logins/sessions.js'
import { mainProvider, providerWithPage } from './provider-settings.js'

type Scope = Pick<Context, 'backend' | 'db' | 'project'>

const stateMilliseconds = 10 * 60_000

/** Where the provider sends the code: to the callback of the service, or to a page of the app. */
export type CodeGoesTo = 'service' | 'app'

const signedTexts: { readonly [To in CodeGoesTo]: string } = {
  service: 'state of a login',
  app: 'state of a login whose code goes to the app',
}

/** Providers take no address of any length. */
const mostPageCharacters = 1_000

/**
 * A state to leave with, which counts once its login is kept. It names its provider, unless that is the main one, and the app's own
 * page: a login that is over has no row any more, and still ends there.
 */
export async function newLoginState(
  scope: Scope,
  to: CodeGoesTo,
  { provider, completeUrl }: Pick<PendingProviderLogin, 'provider' | 'completeUrl'>,
): Promise<string> {
  const random = randomBytes(18).toString('base64url')
  const named = provider === mainProvider ? '' : provider
  const page = completeUrl !== null && completeUrl.length <= mostPageCharacters ? completeUrl : ''
  const parts = page ? [random, named, Buffer.from(page).toString('base64url')] : named ? [random, named] : [random]
  const signed = parts.join('.')
  return `${signed}.${await sign(scope, to, signed)}`
}

/** What the state of a login with the code for the service says, also once it is over. */
export interface StateContent {
  /** One that has a page, for a state that is not ours. */
  readonly provider: string
  /** Where the login ends, unless that is the page of the settings. */
  readonly page: string | undefined
}

export async function contentOfState(scope: Scope, state: string): Promise<StateContent> {
  if (!(await isOurs(scope, 'service', state))) return { provider: providerWithPage(scope), page: undefined }
  const [, provider, page] = partsOf(state).signed.split('.')
  return { provider: provider || mainProvider, page: page && Buffer.from(page, 'base64url').toString() }
}

/** Stands for the state in an address that is kept: whoever reads the table is to know no state. */
const statePlace = '{state}'

/** Remembers a login that is about to leave with that state. */
export async function keepLogin({ backend, db, project }: Scope, state: string, login: PendingProviderLogin) {
  const expiresAt = new Date(backend.now(project.id).getTime() + stateMilliseconds).toISOString()
  const loginUrl = login.loginUrl?.replaceAll(state, statePlace) ?? null
  await insertLogin(db, { stateHash: hashOf(state), project: project.id, expiresAt }, { ...login, loginUrl })
}

/** Where a browser that sets out is sent, and the cookie that it shows when it comes back. */
export interface Departure {
  readonly loginUrl: string
  readonly cookie: string
}

/** Binds a login to the browser that sets out; nothing if it is not ours, is over, or is another browser's already. */
export async function bindToBrowser(
  scope: Scope,
  state: string,
  cookies: string | undefined,
): Promise<Departure | undefined> {
  if (!(await isOurs(scope, 'service', state))) return undefined
  const { backend, db, project } = scope
  const secret = randomBytes(18).toString('base64url')
  const found = await updateLogin(db, {
    stateHash: hashOf(state),
    project: project.id,
    at: backend.now(project.id).toISOString(),
    browserHash: hashOf(secret),
    shownHash: shownIn(cookies, state),
  })
  if (!found) return undefined
  const { protocol } = new URL(found.redirectUrl)
  const isSecure = protocol === 'https:' ? '; Secure' : ''
  const lasts = `Max-Age=${stateMilliseconds / 1_000}; Path=${pathOf(found.redirectUrl)}; HttpOnly; SameSite=Lax${isSecure}`
  return { loginUrl: found.loginUrl.replaceAll(statePlace, state), cookie: `${cookieName(state)}=${secret}; ${lasts}` }
}

/**
 * The login that left with that state; nothing if it is not ours, was used, is older than ten minutes, or another browser's. One
 * whose code goes to the app is not the service's to finish: only the app can compare the state with the one of its own user.
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
    stateHash: hashOf(state),
    project: project.id,
    at: backend.now(project.id).toISOString(),
    browserHash: shownIn(cookies, state),
  })
}

/** Looks at the signature only: what was not signed here is not worth a statement. */
async function isOurs(scope: Scope, to: CodeGoesTo, state: string): Promise<boolean> {
  const { signed, signature } = partsOf(state)
  return signed !== '' && isSame(signature, await sign(scope, to, signed))
}

function partsOf(state: string): { signed: string; signature: string } {
  const [, signed = '', signature = ''] =
    /^([\w-]{24}(?:\.[\w-]{0,41}(?:\.[\w-]{1,6000})?)?)\.([\w-]{43})$/.exec(state) ?? []
  return { signed, signature }
}

/** The path of an address without a slash at its end, where the router serves the same. */
export function pathOf(address: string): string {
  return new URL(address).pathname.replace(/\/$/, '')
}

/** Each login has a cookie of its own, since several may be on their way in one browser. */
function cookieName(state: string): string {
  return `svc-login-${hashOf(state).slice(0, 16)}`
}

/** The hash of what a browser shows for that login. */
function shownIn(cookies: string | undefined, state: string): string | null {
  const beginning = `${cookieName(state)}=`
  const shown = cookies?.split(/; */).find((cookie) => cookie.startsWith(beginning))
  return shown === undefined ? null : hashOf(shown.slice(beginning.length))
}

async function sign(scope: Scope, to: CodeGoesTo, text: string): Promise<string> {
  const secret = await tokenSecretOf(scope)
  return createHmac('sha256', secret).update(`${signedTexts[to]}: ${text}`).digest('base64url')
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
