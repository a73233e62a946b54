import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { misuse } from '../../base/failure.js'
import type { CommandInput } from '../../base/service-command.js'
import { TargetCommand } from '../../base/target-command.js'
import { collectionArg } from '../../documents/fields-args.js'
import { findUser, openOwner } from '../../target/owner.js'
import { record } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

export default class DocsTransfer extends TargetCommand {
  static override summary = 'Show or change the owner of a document.'
  static override description =
    prose(`The owner is the user who created the document. The role "owner" in permissions means this user. Shows the owner, unless you
pass --to or --no-owner. Works on the emulator of this folder only.`)
  static override examples = [
    '<%= config.bin %> docs transfer posts 01900000-0000-7000-8000-000000000001 --to ada@example.com',
    '<%= config.bin %> docs transfer posts 01900000-0000-7000-8000-000000000001 --json',
  ]
  static override args = {
    collection: collectionArg,
    id: Args.string({ required: true, description: 'id of the document' }),
  }
  static override flags = {
    to: Flags.string({ description: 'email or id of the new owner', helpValue: 'user', exclusive: ['no-owner'] }),
    'no-owner': Flags.boolean({ description: 'remove the owner' }),
  }

  protected override readonly mayBeEmpty = ['to']

  protected readonly access = ({ flags }: CommandInput) => (flags.to || flags['no-owner'] ? 'write' : 'read')

  async run() {
    const { args, flags } = await this.parse(DocsTransfer)
    if (flags.to === '')
      throw misuse('--to is empty.', 'Pass the email or id of a user. To remove the owner: --no-owner')
    const target = this.requireTarget(flags)
    const { creators } = openOwner(target)
    const project = target.emulator?.projectId ?? ''
    const place = { project, collection: args.collection, document: args.id }
    if (flags.to === undefined && !flags['no-owner']) return this.show(await creators.get(place))
    const createdBy = flags.to === undefined ? null : (await findUser(this.client(flags), flags.to)).id
    return this.show(await creators.set({ ...place, createdBy }))
  }

  private show<Creator extends { readonly id: string; readonly createdBy: string | null }>(creator: Creator): Creator {
    this.log(record({ id: creator.id, owner: creator.createdBy ?? '(none)' }))
    return creator
  }
}
