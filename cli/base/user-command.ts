import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type { Control } from '../../client/control.js'
import type { Client } from '../../client/index.js'
import type { Json } from '../../client/protocol/model/json.js'
import type { AppUser } from '../../client/protocol/model/user.js'
import { createToken, findUser, openOwner } from '../target/owner.js'
import type { TargetFlags } from '../target/target.js'
import type { Row } from '../terminal/print.js'
import { misuse } from './failure.js'
import { ServiceCommand } from './service-command.js'

export const userArg = Args.string({ required: true, description: 'email or id of the user' })

export const passwordFlag = Flags.string({
  description: 'password; prefer SVC_PASSWORD or the prompt, which keep it out of your shell history',
  env: 'SVC_PASSWORD',
})

export const newPasswordFlag = Flags.string({
  description: 'new password; prefer SVC_NEW_PASSWORD or the prompt, which keep it out of your shell history',
  env: 'SVC_NEW_PASSWORD',
})

export const tokenFlag = Flags.string({
  description: 'token of the user [default: act as the owner of the emulator]',
})

interface ActingUser {
  readonly who: string
  readonly token?: string | undefined
  /** The start of the question: "Change the password of ada@example.com". */
  readonly what: string
}

/** A command for users: operations of the API and, on an emulator, of its owner. */
export abstract class UserCommand extends ServiceCommand {
  /** Returns the calls of the owner. Only an emulator has one. */
  protected owner(flags: TargetFlags): Control['users'] {
    return openOwner(this.requireTarget(flags)).users
  }

  /** @throws {CliFailure} with exit 4, suggesting a user */
  protected findUser(client: Client, who: string): Promise<AppUser> {
    return findUser(client, who)
  }

  /** Opens a client for a write as the user, with the given token or by the owner's right. */
  protected async clientAs(flags: TargetFlags & { yes: boolean }, { who, token, what }: ActingUser): Promise<Client> {
    // Refuses everyone but the owner before asking.
    const given = token ?? this.owner(flags)
    const client = await this.clientForWrite(flags, what)
    const isToken = typeof given === 'string'
    const { user } = await client.auth.use(isToken ? given : await createToken(given, await this.findUser(client, who)))
    const isMeant = user.id === who || user.email.toLowerCase() === who.toLowerCase()
    if (!isMeant) throw misuse(`The token belongs to ${user.email}.`, `Use a token of ${who}.`)
    return client
  }

  /** @throws {CliFailure} with exit 2 if it cannot prompt */
  protected async askPassword(
    given: string | undefined,
    flags: { yes: boolean },
    message = 'Password',
  ): Promise<string> {
    if (given !== undefined) return given
    if (!this.mayAsk(flags)) throw misuse('A password is required.', 'Set it with SVC_PASSWORD or --password.')
    const { password } = await import('@inquirer/prompts')
    return password({ message, mask: true }, { output: process.stderr })
  }

  /** @throws {CliFailure} with exit 2 if it cannot prompt */
  protected async askNewPassword(given: string | undefined, flags: { yes: boolean }): Promise<string> {
    if (given !== undefined) return given
    if (this.mayAsk(flags)) return this.askPassword(undefined, flags, 'New password')
    throw misuse('A new password is required.', 'Set it with SVC_NEW_PASSWORD or --new-password.')
  }
}

/** Makes the table row of a user. */
export function userRow({ id, email, roles, emailVerified, oauthId, data, createdAt }: AppUser): Row {
  const shown = {
    id,
    email,
    roles: (roles ?? []).join(', '),
    verified: emailVerified,
    provider: oauthId !== null,
    createdAt,
  }
  return { ...shown, data: data as Json }
}
