/** The authorization endpoint: checks the request and carries out the person's decision. RFC 6749 4.1, RFC 7636. */
import {
  isProviderFault,
  type ProviderAccount,
  type ProviderFault,
} from '../../../client/protocol/model/provider-login.js'
import { OAuthError, type ProviderAnswer, redirect } from './exchange.js'
import type { LoginFaults } from './faults.js'
import type { Grants } from './grants.js'

export interface LoginRequest {
  readonly client: string
  readonly redirectUrl: string
  readonly state: string | undefined
  readonly nonce: string | undefined
  readonly scopes: readonly string[]
  readonly challenge: string
  /** The account that the client suggests. */
  readonly hint: string | undefined
}

/** Refuses a request by a redirect to the client. */
export class RefusedToClient extends Error {
  override readonly name = 'RefusedToClient'
  constructor(readonly location: string) {
    super('refused to the client')
  }
}

/**
 * @throws {OAuthError} shown to the person, if the address may not be the client's
 * @throws {RefusedToClient}
 */
export async function readLoginRequest(
  query: URLSearchParams,
  mayRedirect: (url: string) => Promise<boolean>,
): Promise<LoginRequest> {
  for (const name of new Set(query.keys())) {
    if (query.getAll(name).length > 1) throw new OAuthError('invalid_request', `"${name}" appears more than once.`)
  }
  const text = (name: string) => query.get(name) || undefined
  const client = text('client_id')
  const redirectUrl = text('redirect_uri')
  if (client === undefined) throw new OAuthError('invalid_request', '"client_id" is missing.')
  if (redirectUrl === undefined) throw new OAuthError('invalid_request', '"redirect_uri" is missing.')
  if (!(await mayRedirect(redirectUrl))) {
    throw new OAuthError('invalid_request', `Redirect address "${redirectUrl}" is not allowed: no project lists it.`)
  }
  const state = text('state')
  const refuse = (code: string, description: string) =>
    new RefusedToClient(buildLocation(redirectUrl, { error: code, error_description: description, state }))

  if (text('response_type') !== 'code') throw refuse('unsupported_response_type', 'Only "code" is supported.')
  if ((text('response_mode') ?? 'query') !== 'query') throw refuse('invalid_request', 'Only "query" is supported.')
  const challenge = text('code_challenge')
  if (challenge === undefined || text('code_challenge_method') !== 'S256') {
    throw refuse('invalid_request', 'A code challenge with method S256 is required.')
  }
  if (text('prompt') === 'none')
    throw refuse('login_required', 'No one is logged in. Send the request without prompt=none.')
  return {
    client,
    redirectUrl,
    state,
    nonce: text('nonce'),
    scopes: (text('scope') ?? '').split(' ').filter((scope) => scope !== ''),
    challenge,
    hint: text('login_hint'),
  }
}

/** The person's choice on the page. */
export interface Decision {
  readonly account: ProviderAccount | undefined
  /** The fault chosen for this login. */
  readonly fault: ProviderFault | undefined
}

/** Sends the browser back with a code, or with an error if the login was cancelled. */
export function decide(
  { client, redirectUrl, state, nonce, scopes, challenge }: LoginRequest,
  { account, fault: chosen }: Decision,
  { grants, faults }: { grants: Grants; faults: LoginFaults },
): ProviderAnswer {
  const fault = account ? (chosen ?? faults.take(client)) : undefined
  if (!account || fault === 'cancelled') {
    return redirect(
      buildLocation(redirectUrl, { error: 'access_denied', error_description: 'The login was cancelled.', state }),
    )
  }
  const code = grants.newCode({ client, redirectUrl, scopes, nonce, challenge, account: account.id, fault })
  return redirect(buildLocation(redirectUrl, { code, state }))
}

/** @throws {OAuthError} for an unknown fault */
export function readFault(text: string | null): ProviderFault | undefined {
  if (text === null || text === '') return undefined
  if (isProviderFault(text)) return text
  throw new OAuthError('invalid_request', `Unknown fault "${text.slice(0, 80)}".`)
}

function buildLocation(redirectUrl: string, answer: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(redirectUrl)
  for (const [name, value] of Object.entries(answer)) if (value !== undefined) url.searchParams.set(name, value)
  return url.href
}
