import * as Flags from '@oclif/core/flags'
import type { Client, ClientOptions, SessionStore } from '../../client/index.js'
import { userRefusal } from '../../client/protocol/model/access/user-refusal.js'
import type { SvcError } from '../../client/protocol/model/errors.js'
import type { Backup } from '../backups/backup-file.js'
import type { Undo } from '../sync/operations.js'
import { loginAs, ownerKey } from '../target/owner.js'
import type { TargetFlags } from '../target/target.js'
import type { TargetKind } from '../target/target-kind.js'
import { counted } from '../terminal/print.js'
import { shellWord } from '../terminal/shell-word.js'
import { reworded } from './failure.js'
import { ServiceCommand } from './service-command.js'

export type { Client }

interface BackupWork {
  /** The command, which the file is named after. */
  readonly words: string
  /** What the file cannot bring back. */
  readonly lost: Lost
  readonly lines: AsyncIterable<Undo>
}

/** What a backup cannot bring back: of documents that are created again, and of those that are only changed. */
export const lostByDeletion = 'ids, times, passwords, files and fields hidden from your key'
export const lostByChange = 'times, passwords, files and fields hidden from your key'
type Lost = typeof lostByDeletion | typeof lostByChange

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

  /**
   * Saves what a command is about to change where no snapshot can, and says what takes the command back. Nothing is sent before.
   *
   * @throws {CliFailure} `BACKUP_FAILED`, `CHANGED`
   */
  protected async backUp(
    kind: TargetKind,
    flags: { backup: boolean },
    { words, lost, lines }: BackupWork,
  ): Promise<Backup | undefined> {
    if (kind !== 'foreign' || !flags.backup) return undefined
    const { newBackupPlace, writeBackup } = await import('../backups/backup-file.js')
    const backup = await writeBackup(await newBackupPlace(words), lines)
    if (backup) {
      const { path, saved } = backup
      const restore = this.there(`svc docs batch -f ${shellWord(path)}`)
      this.sayAlways(`Saved ${counted(saved, 'document')} to ${path}, without ${lost}. Bring back: ${restore}`)
    }
    return backup
  }

  /** The client of the service, signed in as the user of `--as`. */
  protected override client(flags: TargetFlags, more: Partial<ClientOptions> = {}): Client {
    return super.client(flags, { ...more, ...this.sessionOf(flags) })
  }

  /** The client of the service: at the emulator of this folder its owner's, unless a key or a user was named. */
  protected async ownerClient(flags: TargetFlags, more: Partial<ClientOptions> = {}): Promise<Client> {
    if (!this.isOwner(flags)) return this.client(flags, more)
    return this.client(flags, { ...more, apiKey: await ownerKey(this.requireTarget(flags)) })
  }

  private isOwner(flags: TargetFlags): boolean {
    return flags.as === undefined && this.requireTarget(flags).isOwner
  }

  /** Whether permissions hide nothing from this command. */
  protected seesAll(flags: TargetFlags): boolean {
    return (
      this.isOwner(flags) ||
      (flags.as === undefined && this.requireTarget(flags).key?.startsWith('svc_secret_') === true)
    )
  }

  /** Looked up by the first request, and once, however many clients a command opens. */
  private sessionOf(flags: TargetFlags): { session?: SessionStore } {
    if (flags.as === undefined) return {}
    this.login ??= loginAs(this.requireTarget(flags), super.client(flags), flags.as)
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
