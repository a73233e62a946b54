import { formatBytes } from '../../../client/protocol/model/figures.js'
import { answeredWithout } from '../../base/foreign-answer.js'
import { TargetCommand } from '../../base/target-command.js'
import { record } from '../../terminal/print.js'

export default class FilesInfo extends TargetCommand {
  static override summary = 'Show file storage usage and its limit.'
  static override examples = ['<%= config.bin %> files info', '<%= config.bin %> files info --json | jq .bytes']

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(FilesInfo)
    const usage = await this.client(flags).files.info()

    const { files, tier, limitBytes } = usage
    if (typeof usage.bytes !== 'number' || limitBytes === undefined)
      throw answeredWithout('the bytes in use', this.requireTarget(flags).url)
    const limit = limitBytes === null ? 'unlimited' : formatBytes(limitBytes)
    this.log(record({ files, used: formatBytes(usage.bytes), limit, tier }))
    return usage
  }
}
