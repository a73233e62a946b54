/** The token endpoint and the profile. RFC 6749 4.1.3, OpenID Connect Core 3.1.3 and 5.3. */
import type { ProviderFault } from '../../../client/protocol/model/provider-login.js'
import type { ProviderAccounts } from '../provider.js'
import { json, type NoAnswer, OAuthError, type ProviderAnswer, type ProviderRequest } from './exchange.js'
import { type Grant, type Grants, matchesChallenge, tokenSeconds } from './grants.js'
import type { TokenSigner } from './id-tokens.js'
import { buildProfile } from './profile.js'

export interface TokenDesk {
  readonly issuer: string
  readonly now: () => number
  readonly grants: Grants
  readonly accounts: ProviderAccounts
  readonly signer: TokenSigner
}

/** Faults that apply before anything is signed. */
const faultAnswers: { readonly [Fault in ProviderFault]?: NoAnswer } = {
  slow: { cutAfterMilliseconds: 30_000 },
  down: { cutAfterMilliseconds: 0 },
}

/** @throws {OAuthError} with a code of RFC 6749 5.2 */
export async function exchangeCode(
  desk: TokenDesk,
  { form, authorization }: ProviderRequest,
): Promise<ProviderAnswer | NoAnswer> {
  const client = readClient(form, authorization)
  if (form.get('grant_type') !== 'authorization_code') {
    throw new OAuthError('unsupported_grant_type', 'Only "authorization_code" is supported.')
  }
  const code = form.get('code') ?? ''
  const grant = desk.grants.takeCode(code)
  const noAnswer = grant?.fault && faultAnswers[grant.fault]
  if (noAnswer) return noAnswer
  if (!grant || grant.fault === 'bad-code' || !isFor(grant, client, form)) {
    throw new OAuthError('invalid_grant', 'The code is unknown, used, expired, or belongs to another client.')
  }
  const account = await desk.accounts.get(grant.account)
  if (!account) throw new OAuthError('invalid_grant', 'The account no longer exists.')
  const idToken = grant.scopes.includes('openid')
    ? await desk.signer.sign(
        {
          issuer: desk.issuer,
          client,
          subject: account.id,
          nonce: grant.nonce,
          issuedAt: Math.floor(desk.now() / 1_000),
          profile: buildProfile(account, grant.scopes, grant.fault),
        },
        grant.fault,
      )
    : undefined
  return json({
    access_token: desk.grants.newToken(code, grant),
    token_type: 'Bearer',
    expires_in: tokenSeconds,
    scope: grant.scopes.join(' '),
    ...(idToken === undefined ? {} : { id_token: idToken }),
  })
}

/** @throws {OAuthError} */
export async function showProfile(
  { grants, accounts }: TokenDesk,
  { authorization }: ProviderRequest,
): Promise<ProviderAnswer> {
  const [, token = ''] = /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization ?? '') ?? []
  const grant = grants.findGrant(token)
  const account = grant && (await accounts.get(grant.account))
  if (!grant || !account) throw new OAuthError('invalid_token', 'The access token is not valid.', 401)
  if (grant.fault === 'no-profile') throw new OAuthError('server_error', 'The profile cannot be read.', 500)
  return json({ ...buildProfile(account, grant.scopes, grant.fault), sub: account.id })
}

/** Takes a client's name on trust: there is nothing to gain on a developer's machine. */
function readClient(form: URLSearchParams, authorization: string | undefined): string {
  const [, basic] = /^Basic (\S+)$/i.exec(authorization ?? '') ?? []
  const [named] = basic === undefined ? [] : Buffer.from(basic, 'base64').toString('utf8').split(':', 1)
  const client = named === undefined ? form.get('client_id') : new URLSearchParams(`id=${named}`).get('id')
  if (client) return client
  throw new OAuthError('invalid_client', '"client_id" is missing.', 401)
}

function isFor({ client, redirectUrl, challenge }: Grant, asking: string, form: URLSearchParams): boolean {
  const isSame = client === asking && redirectUrl === form.get('redirect_uri')
  return isSame && matchesChallenge(challenge, form.get('code_verifier') ?? '')
}
