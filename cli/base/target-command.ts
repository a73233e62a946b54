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
  /** The command, for the name of the file. */
  readonly words: string
  /** Describes data that the file cannot restore. */
  readonly lost: Lost
  readonly lines: AsyncIterable<Undo>
}

/** Data that a backup cannot restore, for documents that are created again and for changed ones. */
export const lostByDeletion = 'ids, times, passwords, files and fields hidden from your key'
export const lostByChange = 'times, passwords, files and fields hidden from your key'
type Lost = typeof lostByDeletion | typeof lostByChange

/** A command for a service, with the key alone or as a user. */
export abstract class TargetCommand extends ServiceCommand {
  static override baseFlags = {
    ...ServiceCommand.baseFlags,
    as: Flags.string({
      description: 'email or id of the user to act as, on the emulator',
      helpGroup: 'TARGET',
      helpValue: 'user',
    }),
  }

  private login: SessionStore | undefined

  /**
   * Saves the documents that a command is about to change at a service without snapshots, and prints how to restore them.
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
      this.sayAlways(`Saved ${counted(saved, 'document')} to ${path}, without ${lost}. Restore: ${restore}`)
    }
    return backup
  }

  /** Opens a client for the service, logged in as the user of `--as`. */
  protected override client(flags: TargetFlags, more: Partial<ClientOptions> = {}): Client {
    return super.client(flags, { ...more, ...this.openSession(flags) })
  }

  /** Opens a client: the owner's on the emulator of this folder, unless a key or user is named. */
  protected async ownerClient(flags: TargetFlags, more: Partial<ClientOptions> = {}): Promise<Client> {
    if (!this.isOwner(flags)) return this.client(flags, more)
    return this.client(flags, { ...more, apiKey: await ownerKey(this.requireTarget(flags)) })
  }

  private isOwner(flags: TargetFlags): boolean {
    return flags.as === undefined && this.requireTarget(flags).isOwner
  }

  /** Returns whether the command sees all data, whatever the permissions. */
  protected seesAll(flags: TargetFlags): boolean {
    return (
      this.isOwner(flags) ||
      (flags.as === undefined && this.requireTarget(flags).key?.startsWith('svc_secret_') === true)
    )
  }

  /** Logs in at the first request, and only once for all clients of the command. */
  private openSession(flags: TargetFlags): { session?: SessionStore } {
    if (flags.as === undefined) return {}
    this.login ??= loginAs(this.requireTarget(flags), super.client(flags), flags.as)
    return { session: this.login }
  }

  /** Suggests a user or the secret key, which permissions may need in addition to a valid key. */
  protected override async explainRefused(cause: SvcError): Promise<Error> {
    const { emulator } = this.requireTarget({})
    if (cause.code === 'FORBIDDEN' && this.id?.startsWith('collections:')) {
      const secret = emulator ? '$(svc project key --secret --quiet)' : 'svc_secret_…'
      return reworded(cause, () => ({ hint: `Use the secret key: SVC_API_KEY=${secret} svc ${words(this.id)} …` }))
    }
    if (cause.message.endsWith(userRefusal)) return reworded(cause, () => ({ hint: actAs(emulator !== undefined) }))
    const listed = await super
      .client({})
      .collections.list()
      .catch(() => undefined)
    if (!listed) return cause
    const act = emulator ? 'Act as a user with the role: --as <user>. ' : ''
    // The message names the collection, even if no argument does.
    const name = listed.find((one) => cause.message.includes(` in "${one.name}"`))?.name ?? this.collectionInQuestion()
    // Other services show permissions only to those who may read.
    const isShown = emulator !== undefined || listed.find((one) => one.name === name)?.permissions !== undefined
    const key = isShown ? '' : 'SVC_API_KEY=svc_secret_… '
    const collection = name === undefined ? 'COLLECTION' : shellWord(name)
    const shown = this.there(`svc collections permissions ${collection}`)
    return reworded(cause, () => ({ hint: `${act}Show the permissions: ${key}${shown}` }))
  }
}

function actAs(isEmulator: boolean): string {
  if (isEmulator) return 'Act as a user: --as <user>. List the users: svc users list'
  return 'Send a user token with svc api: -H "authorization: Bearer <token>"'
}

function words(id = ''): string {
  return id.replaceAll(':', ' ')
}
