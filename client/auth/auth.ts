import type { Fields } from '../protocol/model/document.js'
import { accountCalls } from './account.js'
import { openAuthCalls } from './auth-calls.js'
import { loginCalls } from './logins.js'
import { openProvider, type ProviderLogin } from './provider-login.js'
import { recoveryCalls } from './recovery.js'
import type { Session } from './session.js'
import { openTwoFactor } from './two-factor.js'

/** Opens the calls for sign-up, login and the signed-in user. */
export function openAuth<Data extends object = Fields>(session: Session) {
  const calls = openAuthCalls<Data>(session)
  return {
    /** Two-factor login of the signed-in user. */
    twoFactor: openTwoFactor(calls),
    ...loginCalls(session, calls),
    ...accountCalls<Data>(session),
    ...recoveryCalls(calls),

    /**
     * Returns the calls for a login that the app runs itself with a named provider.
     *
     * @example
     * const google = svc.auth.provider('google')
     * const logIn = (idToken: string) => google.token({ idToken, platform: 'web' })
     */
    provider(name: string): ProviderLogin<Data> {
      return openProvider(calls, name)
    },
  }
}

export type Auth<Data extends object = Fields> = ReturnType<typeof openAuth<Data>>
