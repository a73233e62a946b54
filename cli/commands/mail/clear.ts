import { ControlCommand } from '../../base/control-command.js'
import { toFlag } from '../../mail/mail-flags.js'
import { counted } from '../../terminal/print.js'

export default class MailClear extends ControlCommand {
  static override summary = 'Delete mail.'
  static override description = 'Deletes all mail, or mail to one address. Links in deleted mail keep working.'
  static override examples = [
    '<%= config.bin %> mail clear --yes',
    '<%= config.bin %> mail clear --to ada@example.com --yes',
  ]
  static override flags = { to: toFlag }

  protected readonly access = 'write'

  async run() {
    const { flags } = await this.parse(MailClear)
    const control = this.control(flags)
    await this.confirm(flags.to === undefined ? 'Delete all mails?' : `Delete all mails for "${flags.to}"?`, flags)
    const { count: deleted } = await control.mail.clear({ to: flags.to })

    this.note(`Deleted ${counted(deleted, 'mail')}.`)
    return { deleted }
  }
}
