import * as Flags from '@oclif/core/flags'
import type { Client, ClientOptions, SessionStore } from '../../client/index.js'
import { userRefusal } from '../../client/protocol/model/access/user-refusal.js'
import type { SvcError } from '../../client/protocol/model/errors.js'
import { loginOf } from '../target/owner.js'
import type { TargetFlags } from '../target/target.js'
import { shellWord } from '../terminal/shell-word.js'
import { reworded } from './failure.js'
import { ServiceCommand } from './service-command.js'

export type { Client }

/** A command that talks to a service, with its key alone or as one of its users. */
export abstract class TargetCommand extends ServiceCommand {
  static override baseFlags = {
    ...ServiceCommand.baseFlags,
    as: Flags.string({
      description: 'act as this user of the emulator: email or id',
      helpGroup: 'TARGET',
      helpValue: 'user',
    }),
  }

  private login: SessionStore | undefined

  /** The client of the service, signed in as the user of `--as`. */
  protected override client(flags: TargetFlags, more: Partial<ClientOptions> = {}): Client {
    return super.client(flags, { ...more, ...this.sessionOf(flags) })
  }

  /** Looked up by the first request, and once, however many clients a command opens. */
  private sessionOf(flags: TargetFlags): { session?: SessionStore } {
    if (flags.as === undefined) return {}
    this.login ??= loginOf(this.requireTarget(flags), super.client(flags), flags.as)
    return { session: this.login }
  }

  /** A good key is no user: permissions ask for one, and managing what has them for the secret key. */
  protected override async explainRefused(cause: SvcError): Promise<Error> {
    const { emulator } = this.requireTarget({})
    if (cause.code === 'FORBIDDEN' && this.id?.startsWith('collections:')) {
      const secret = emulator ? '$(svc project key --secret --quiet)' : 'svc_secret_…'
      return reworded(cause, () => ({ hint: `Give the secret key: SVC_API_KEY=${secret} svc ${words(this.id)} …` }))
    }
    if (cause.message.endsWith(userRefusal)) return reworded(cause, () => ({ hint: actAs(emulator !== undefined) }))
    const listed = await super
      .client({})
      .collections.list()
      .catch(() => undefined)
    if (!listed) return cause
    const act = emulator ? 'Act as a user who has the role: --as <user>. ' : ''
    // The refusal names it, also where many were asked about, or none by an argument.
    const name = listed.find((one) => cause.message.includes(` in "${one.name}"`))?.name ?? this.collectionInQuestion()
    // The owner of an emulator needs no key for it; elsewhere permissions are shown only to those who may read.
    const isShown = emulator !== undefined || listed.find((one) => one.name === name)?.permissions !== undefined
    const key = isShown ? '' : 'SVC_API_KEY=svc_secret_… '
    const collection = name === undefined ? 'COLLECTION' : shellWord(name)
    const shown = this.there(`svc collections permissions ${collection}`)
    return reworded(cause, () => ({ hint: `${act}Who may: ${key}${shown}` }))
  }
}

function actAs(isEmulator: boolean): string {
  if (isEmulator) return 'Act as a user: --as <user>. See which there are: svc users list'
  return 'Send one with `svc api`: -H "authorization: Bearer <token>"'
}

function words(id = ''): string {
  return id.replaceAll(':', ' ')
}
