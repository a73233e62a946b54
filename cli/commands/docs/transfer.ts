import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { misuse } from '../../base/failure.js'
import { TargetCommand } from '../../base/target-command.js'
import { collectionArg } from '../../documents/fields-args.js'
import { findUser, openOwner } from '../../target/owner.js'
import { record } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'

export default class DocsTransfer extends TargetCommand {
  static override summary = 'Give a document to another user, or see whose it is.'
  static override description =
    prose(`Where the permissions of a collection name "owner", a document is its creator's: whoever created it by a user token. Without flags
the command says who that is; --to makes it another user's, --to-nobody nobody's. It works on the emulator of the folder.`)
  static override examples = [
    '<%= config.bin %> docs transfer posts 01900000-0000-7000-8000-000000000001 --to ada@example.com',
    '<%= config.bin %> docs transfer posts 01900000-0000-7000-8000-000000000001 --json',
  ]
  static override args = {
    collection: collectionArg,
    id: Args.string({ required: true, ignoreStdin: true, description: 'id of the document' }),
  }
  static override flags = {
    to: Flags.string({ description: 'email or id of the user', helpValue: 'user', exclusive: ['to-nobody'] }),
    'to-nobody': Flags.boolean({ description: 'nobody is its owner from then on' }),
  }

  async run() {
    const { args, flags } = await this.parse(DocsTransfer)
    if (flags.to === '') throw misuse('--to takes the email or id of a user.', 'To take it away: --to-nobody')
    const target = this.requireTarget(flags)
    const { creators } = openOwner(target)
    const project = target.emulator?.projectId ?? ''
    const place = { project, collection: args.collection, document: args.id }
    if (flags.to === undefined && !flags['to-nobody']) return this.show(await creators.get(place))
    const createdBy = flags.to === undefined ? null : (await findUser(this.client(flags), flags.to)).id
    return this.show(await creators.set({ ...place, createdBy }))
  }

  private show<Creator extends { readonly id: string; readonly createdBy: string | null }>(creator: Creator): Creator {
    this.log(record({ id: creator.id, owner: creator.createdBy ?? '(nobody)' }))
    return creator
  }
}
