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
  description: 'the password; SVC_PASSWORD keeps it off the screen, and a terminal is asked for it',
  env: 'SVC_PASSWORD',
})

export const newPasswordFlag = Flags.string({
  description: 'the new password; SVC_NEW_PASSWORD keeps it off the screen, and a terminal is asked for it',
  env: 'SVC_NEW_PASSWORD',
})

export const tokenFlag = Flags.string({
  description: 'token of the user; without one, the owner of the emulator acts',
})

interface ActingUser {
  readonly who: string
  readonly token?: string | undefined
  /** What is written, as a question begins: "Change the password of ada@example.com". */
  readonly what: string
}

/** A command about users: the interface's own operations and, on an emulator, the owner's. */
export abstract class UserCommand extends ServiceCommand {
  /** What the owner may do. Only an emulator lets its owner in. */
  protected owner(flags: TargetFlags): Control['users'] {
    return openOwner(this.requireTarget(flags)).users
  }

  /** @throws {CliFailure} with exit 4, naming who may be meant */
  protected findUser(client: Client, who: string): Promise<AppUser> {
    return findUser(client, who)
  }

  /** The client for a write as that user, who is signed in by a token that is given, else by the owner's right. */
  protected async clientAs(flags: TargetFlags & { yes: boolean }, { who, token, what }: ActingUser): Promise<Client> {
    // Whoever is not the owner is refused before a question.
    const given = token ?? this.owner(flags)
    const client = await this.clientForWrite(flags, what)
    const isToken = typeof given === 'string'
    const { user } = await client.auth.use(isToken ? given : await createToken(given, await this.findUser(client, who)))
    const isMeant = user.id === who || user.email.toLowerCase() === who.toLowerCase()
    if (!isMeant) throw misuse('The token is of another user.', `It is of ${user.email}.`)
    return client
  }

  /** @throws {CliFailure} with exit 2 where no prompt can be shown */
  protected async askPassword(
    given: string | undefined,
    flags: { yes: boolean },
    message = 'Password',
  ): Promise<string> {
    if (given !== undefined) return given
    if (!this.mayAsk(flags)) throw misuse('A password is needed.', 'Give it with SVC_PASSWORD or --password.')
    const { password } = await import('@inquirer/prompts')
    return password({ message, mask: true }, { output: process.stderr })
  }

  /** @throws {CliFailure} with exit 2 where no prompt can be shown */
  protected async askNewPassword(given: string | undefined, flags: { yes: boolean }): Promise<string> {
    if (given !== undefined) return given
    if (this.mayAsk(flags)) return this.askPassword(undefined, flags, 'New password')
    throw misuse('A new password is needed.', 'Give it with SVC_NEW_PASSWORD or --new-password.')
  }
}

/** A user as one line of a table. */
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
