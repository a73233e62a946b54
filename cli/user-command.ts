import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type { Client } from '../client/index.js'
import type { Json } from '../client/model/json.js'
import type { AppUser } from '../client/model/user.js'
import { type Control, openControl } from './control.js'
import { CliFailure, exits, misuse } from './failure.js'
import { nearest } from './nearest.js'
import type { Row } from './print.js'
import type { TargetFlags } from './target.js'
import { TargetCommand } from './target-command.js'

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

/** A command about users: the interface's own operations and, on an emulator, the owner's. */
export abstract class UserCommand extends TargetCommand {
  /** What the owner may do. Only an emulator lets its owner in. */
  protected owner(flags: TargetFlags): Control {
    const { emulator, url } = this.requireTarget(flags)
    if (emulator) return openControl(emulator)
    const message = `${url} is not the emulator of this folder, and only there you are the owner.`
    throw new CliFailure('FORBIDDEN', exits.notAuthorised, message, 'Run this where "svc dev" runs.')
  }

  /** @throws {CliFailure} with exit 4, naming who may be meant */
  protected async findUser(client: Client, who: string): Promise<AppUser> {
    if (!who.includes('@')) return client.users.get(who)
    const { items } = await client.users.list({ where: { email: { in: [who, who.toLowerCase()] } }, limit: 1 })
    if (items[0]) return items[0]
    const others = (await client.users.list({ limit: 100 })).items.map(({ email }) => email)
    const meant = nearest(who, others)
    const hint = meant ? `Did you mean "${meant}"?` : 'See who there is: svc users list'
    throw new CliFailure('USER_NOT_FOUND', exits.notFound, `No user "${who}".`, hint)
  }

  /** A client that is signed in as that user: by a token that is given, else by the owner's right. */
  protected async clientAs(flags: TargetFlags, who: string, token?: string): Promise<Client> {
    const client = this.client(flags)
    if (token === undefined) {
      const { id } = await this.findUser(client, who)
      const answer = await this.owner(flags)({ method: 'POST', path: `/users/${id}/token` })
      await client.auth.use((answer as { token: string }).token)
    } else await client.auth.use(token)
    return client
  }

  /** @throws {CliFailure} with exit 2 where nobody can be asked */
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

  /** @throws {CliFailure} with exit 2 where nobody can be asked */
  protected async askNewPassword(given: string | undefined, flags: { yes: boolean }): Promise<string> {
    if (given !== undefined) return given
    if (this.mayAsk(flags)) return this.askPassword(undefined, flags, 'New password')
    throw misuse('A new password is needed.', 'Give it with SVC_NEW_PASSWORD or --new-password.')
  }
}

/** A user as one line of a table. */
export function userRow({ id, email, roles, emailVerified, oauthId, data, createdAt }: AppUser): Row {
  const shown = { id, email, roles: roles.join(', '), verified: emailVerified, provider: oauthId !== null, createdAt }
  return { ...shown, data: data as Json }
}
