import { ControlCommand } from '../../base/control-command.js'
import { toFlag } from '../../mail/mail-flags.js'
import { limitFlag } from '../../terminal/limit-flag.js'
import { table } from '../../terminal/print.js'
import { shortTime } from '../../terminal/short-time.js'

export default class MailList extends ControlCommand {
  static override hiddenAliases = ['mail:ls']
  static override summary = 'List mail sent by the emulator, newest first.'
  static override examples = ['<%= config.bin %> mail list', '<%= config.bin %> mail list --to ada@example.com --json']
  static override flags = {
    to: toFlag,
    limit: limitFlag('mails'),
  }

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(MailList)
    const { mails } = await this.control(flags).mail.list({ to: flags.to, limit: flags.limit })

    const rows = mails.map(({ createdAt, ...mail }) => ({ ...mail, createdAt: shortTime(createdAt) }))
    const hasRefused = mails.some(({ refused }) => refused !== null)
    const columns = ['id', 'createdAt', 'to', 'subject', ...(hasRefused ? ['refused'] : [])]
    if (mails.length === 0) this.note(flags.to === undefined ? 'No mail yet.' : `No mail for "${flags.to}" yet.`)
    else this.log(table(rows, { columns, whole: ['to'] }))
    return mails
  }
}
