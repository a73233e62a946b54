import { ControlCommand } from '../../base/control-command.js'
import { toFlag } from '../../mail/mail-flags.js'
import { counted } from '../../terminal/print.js'

export default class MailClear extends ControlCommand {
  static override summary = 'Delete mail.'
  static override description = 'All mail, or the mail to an address. Links in it keep working.'
  static override examples = [
    '<%= config.bin %> mail clear --yes',
    '<%= config.bin %> mail clear --to ada@example.com --yes',
  ]
  static override flags = { to: toFlag }

  async run() {
    const { flags } = await this.parse(MailClear)
    const control = this.control(flags)
    await this.confirm(flags.to === undefined ? 'Delete all mails?' : `Delete all mails for "${flags.to}"?`, flags)
    const { count: deleted } = await control.mail.clear({ to: flags.to })

    this.note(`${counted(deleted, 'mail')} deleted.`)
    return { deleted }
  }
}
