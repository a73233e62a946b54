/** The built-in identity provider: an OpenID Connect provider for a developer's machine. Contract 7.2. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { isLoopbackUrl } from '../../../client/protocol/model/loopback.js'
import type { Database } from '../../database/port.js'
import { selectAllowedOrigins, selectIsRedirectAllowed } from '../../store/projects.js'
import { openLoginFlows } from '../flows.js'
import type { LocalProvider, LoginFlows } from '../provider.js'
import { openAccounts } from './accounts.js'
import { type Decision, decide, type LoginRequest, RefusedToClient, readFault, readLoginRequest } from './authorize.js'
import { describeProvider } from './discovery.js'
import {
  json,
  type NoAnswer,
  OAuthError,
  type ProviderAnswer,
  type ProviderRequest,
  readProviderRequest,
  readRequestHead,
  redirect,
  refused,
} from './exchange.js'
import { type LoginFaults, openFaults } from './faults.js'
import { openGrants } from './grants.js'
import { openTokenSigner } from './id-tokens.js'
import { accountPage, type PageState, refusalPage } from './page.js'
import { saveAccount } from './page-forms.js'
import { beginPageHop } from './page-hops.js'
import { exchangeCode, showProfile, type TokenDesk } from './token.js'

/** The provider's path below the address of the service. */
export const localProviderPath = '/_svc/idp'

export interface LocalApp extends LocalProvider {
  readonly answer: RequestListener
}

export interface LocalOptions {
  readonly db: Database
  /** The address of the service, known once it listens. */
  readonly url: () => string
  /** Milliseconds since 1970, by the provider's clock. */
  readonly now: () => number
  readonly report: (requestId: string, error: unknown) => void
  /** Whether a request comes from this machine. */
  readonly isLocal: (req: IncomingMessage) => boolean
  /** The address at which a browser reached the service. */
  readonly reachedAt: (req: IncomingMessage) => string
}

interface Desk extends TokenDesk {
  readonly faults: LoginFaults
  readonly flows: LoginFlows
  readonly mayRedirect: (url: string) => Promise<boolean>
  /** The provider's address, as the browser reached it. */
  readonly page: string
  readonly isLocal: LocalOptions['isLocal']
}

type Handler = (desk: Desk, asked: ProviderRequest) => ProviderAnswer | NoAnswer | Promise<ProviderAnswer | NoAnswer>

const handlers: { readonly [path: string]: { readonly [method: string]: Handler } } = {
  '/.well-known/openid-configuration': { GET: ({ issuer }) => json(describeProvider(issuer)) },
  '/jwks': { GET: async ({ signer }) => json(await signer.keys()) },
  '/authorize': { GET: showAccounts, POST: decideLogin },
  '/accounts': { POST: changeAccounts },
  '/token': { POST: exchangeCode },
  '/userinfo': { GET: showProfile, POST: showProfile },
}

export function openLocalProvider({ db, url, now, report, isLocal, reachedAt }: LocalOptions): LocalApp {
  const issuer = () => `${url()}${localProviderPath}`
  const accounts = openAccounts(db)
  const faults = openFaults()
  const flows = openLoginFlows()
  const shared = { now, isLocal, grants: openGrants(now), accounts, faults, flows, signer: openTokenSigner() }
  return {
    issuer,
    accounts,
    faults,
    flows,
    async answer(req, res) {
      const own = reachedAt(req)
      const mayRedirect = (address: string) => isAllowedRedirect(db, [url(), own], address)
      const page = `${own}${localProviderPath}`
      const answer = await handle({ ...shared, issuer: issuer(), page, mayRedirect }, req).catch((error) => {
        report(String(res.getHeader('x-request-id')), error)
        return json({ error: 'server_error' }, 500)
      })
      if ('cutAfterMilliseconds' in answer) cut(res, answer)
      else send(res, answer)
    },
  }
}

async function handle(desk: Desk, req: IncomingMessage): Promise<ProviderAnswer | NoAnswer> {
  let end: (answer: ProviderAnswer) => void = () => undefined
  const answer = await answered(desk, req, (asked) => {
    end = beginPageHop(desk, asked)
  })
  if ('status' in answer) end(answer)
  return answer
}

async function answered(
  desk: Desk,
  req: IncomingMessage,
  onRequest: (asked: ProviderRequest) => void,
): Promise<ProviderAnswer | NoAnswer> {
  try {
    // Refuses before reading the body where the head is enough.
    const head = readRequestHead(req, desk.isLocal(req))
    const handler = handlers[head.path]?.[head.method]
    if (!handler) return json({ error: 'not_found' }, 404)
    // Only the provider's page may post its forms. Requests of clients carry no origin.
    if (head.method === 'POST' && head.isForeign)
      throw new OAuthError('access_denied', 'The form was sent from another page.', 403)
    const asked = await readProviderRequest(req, head)
    onRequest(asked)
    return await handler(desk, asked)
  } catch (error) {
    if (error instanceof RefusedToClient) return redirect(error.location)
    if (!(error instanceof OAuthError)) throw error
    const isForPeople = req.headers.accept?.includes('text/html') ?? false
    return isForPeople ? refusalPage(error) : refused(error)
  }
}

async function showAccounts(desk: Desk, { query }: ProviderRequest): Promise<ProviderAnswer> {
  return accountPage(await pageState(desk, query, await readLoginRequest(query, desk.mayRedirect)))
}

async function decideLogin(desk: Desk, asked: ProviderRequest): Promise<ProviderAnswer> {
  const request = await readLoginRequest(asked.query, desk.mayRedirect)
  return decide(request, await readDecision(desk, request, asked), desk)
}

/** Sets a fault that is meant to stay for the client. It applies to this login too. */
async function readDecision(desk: Desk, { client }: LoginRequest, asked: ProviderRequest): Promise<Decision> {
  const id = asked.form.get('account')
  if (id === null) return { account: undefined, fault: undefined }
  const account = await desk.accounts.get(id)
  if (!account) throw new OAuthError('invalid_request', `Unknown account "${id.slice(0, 80)}".`)
  const fault = readFault(asked.form.get('fault'))
  if (fault !== undefined && asked.form.has('keep')) {
    requireLocal(asked)
    desk.faults.set({ fault, times: null, client })
  }
  return { account, fault }
}

async function changeAccounts(desk: Desk, asked: ProviderRequest): Promise<ProviderAnswer> {
  const { query, form } = asked
  const request = await readLoginRequest(query, desk.mayRedirect)
  requireLocal(asked)
  if (form.get('change') === 'works') clearFault(desk.faults, request.client)
  else {
    const problem = await saveAccount(desk.accounts, form)
    if (problem) return accountPage({ ...(await pageState(desk, query, request)), problem })
  }
  return redirect(`${desk.page}/authorize?${query}`)
}

/** Lets other machines log in, but not change anything. */
function requireLocal({ isLocal }: ProviderRequest): void {
  if (isLocal) return
  throw new OAuthError(
    'access_denied',
    'Only the machine that runs the service can change this. Open the page at "localhost".',
    403,
  )
}

/** Clears the fault that the client's next login would meet, even one set for every client. */
function clearFault(faults: LoginFaults, client: string): void {
  const isOwn = faults.list().some((standing) => standing.client === client)
  faults.clear(isOwn ? client : undefined)
}

async function pageState(desk: Desk, query: URLSearchParams, request: LoginRequest): Promise<PageState> {
  const standing = desk.faults.list()
  return {
    request,
    query: query.toString(),
    action: desk.page,
    accounts: await desk.accounts.list(),
    standing: standing.find(({ client }) => client === request.client) ?? standing.find(({ client }) => !client),
  }
}

/** Allows the address of the service, pages on this machine, and addresses that a project lists. */
async function isAllowedRedirect(db: Database, own: readonly string[], address: string): Promise<boolean> {
  if (!URL.canParse(address)) return false
  const { protocol, hash, origin } = new URL(address)
  if (!/^https?:$/.test(protocol) || hash !== '') return false
  if (isLoopbackUrl(address) || own.includes(origin)) return true
  return (await selectAllowedOrigins(db)).has(origin.toLowerCase()) || selectIsRedirectAllowed(db, address)
}

function send(res: ServerResponse, { status, headers, body }: ProviderAnswer): void {
  res.writeHead(status, {
    'referrer-policy': 'no-referrer',
    ...headers,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(body),
  })
  res.end(body)
}

function cut(res: ServerResponse, { cutAfterMilliseconds }: NoAnswer): void {
  const timer = setTimeout(() => res.destroy(), cutAfterMilliseconds)
  timer.unref()
  res.on('close', () => clearTimeout(timer))
}
