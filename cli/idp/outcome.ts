import {
  type LoginFailure,
  loginFailures,
  outcomeNames,
  providerFaults,
} from '../../client/protocol/model/provider-login.js'
import { CliFailure, exits } from '../base/failure.js'

/** The result of a login through a provider. */
export type Outcome = { readonly token: string } | { readonly failure: LoginFailure }

/** Reads the outcome from the address that the app would be called with, or undefined if it has none. */
export function readOutcome(address: string): Outcome | undefined {
  const { searchParams } = new URL(address)
  const token = searchParams.get(outcomeNames.token)
  if (token) return { token }
  const failure = loginFailures.find((known) => known === searchParams.get(outcomeNames.failure))
  return failure && { failure }
}

/** Fails with exit 3 and the reason as the code. */
export function loginFailed(failure: LoginFailure): CliFailure {
  const message = `The login failed: ${outcomeNames.failure}=${failure}`
  return new CliFailure(failure, exits.notAuthorised, message, hints[failure])
}

const hints: { readonly [Failure in LoginFailure]?: string } = {
  no_email_provided: 'The provider must return a verified email address.',
  email_already_registered_with_password: 'Delete the user with this address, or log in as another user.',
  authentication_failed: 'The login was cancelled, or the provider was slow, down, or sent an invalid response.',
}

/** Lists the faults and their effects, for help texts. */
export const faultHelp = Object.entries(providerFaults)
  .map(([fault, { says, endsIn }]) => `  ${fault.padEnd(17)} ${says} (${endsIn})`)
  .join('\n')
