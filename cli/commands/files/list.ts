import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { TargetCommand } from '../../base/target-command.js'
import { allFiles, fileRow } from '../../files/stored-files.js'
import { pageLimitFlag } from '../../terminal/limit-flag.js'
import { counted, pageNote, table } from '../../terminal/print.js'

export default class FilesList extends TargetCommand {
  static override hiddenAliases = ['files:ls']
  static override summary = 'List stored files, newest first.'
  static override description = 'Includes subfolders, and files of documents and users.'
  static override examples = [
    '<%= config.bin %> files list',
    '<%= config.bin %> files list avatars --all --json | jq -r .items[].url',
  ]
  static override args = { folder: Args.string({ description: 'folder to list [default: all files]' }) }
  static override flags = {
    limit: pageLimitFlag('files'),
    offset: Flags.integer({ min: 0, description: 'number of files to skip' }),
    all: Flags.boolean({ description: 'list all files', exclusive: ['limit', 'offset'] }),
  }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(FilesList)
    const client = await this.ownerClient(flags)
    const folder = args.folder === undefined ? {} : { path: args.folder }
    const place = { ...(flags.limit === undefined ? {} : { limit: flags.limit }), offset: flags.offset ?? 0 }
    const page = flags.all
      ? { items: await allFiles(client, args.folder) }
      : await client.files.list({ ...folder, ...place })

    if (page.items.length > 0) this.log(table(page.items.map(fileRow), { whole: ['url'] }))
    this.note('total' in page ? pageNote(page, 'file') : counted(page.items.length, 'file'))
    if ('total' in page) this.noteCut(page, flags.limit)
    return page
  }
}
