import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { ControlCommand } from '../../base/control-command.js'
import { CliFailure, exits } from '../../base/failure.js'
import { partFlags, readPart, toFlag, wantedPart } from '../../mail/mail-flags.js'
import { mailText } from '../../mail/mail-text.js'
import { shellWord } from '../../terminal/shell-word.js'
import { printableLines } from '../../terminal/text-width.js'

export default class MailShow extends ControlCommand {
  static override summary = 'Show a mail.'
  static override examples = [
    '<%= config.bin %> mail show',
    '<%= config.bin %> mail show --to ada@example.com --html > mail.html',
  ]
  static override usage = 'mail show [ID] [--to address] [--html | --raw | --link | --code]'
  static override args = { id: Args.string({ description: 'id of the mail; see svc mail list [default: the newest]' }) }
  static override flags = {
    to: toFlag,
    ...partFlags,
    html: Flags.boolean({ description: 'print the HTML', exclusive: ['raw', 'link', 'code'] }),
    raw: Flags.boolean({ description: 'print the raw message', exclusive: ['link', 'code'] }),
  }

  protected readonly access = 'read'

  async run() {
    const { args, flags } = await this.parse(MailShow)
    const mailbox = this.control(flags).mail
    const id = args.id ?? (await mailbox.list({ to: flags.to, limit: 1 })).mails[0]?.id
    if (id === undefined) throw new CliFailure('NOT_FOUND', exits.notFound, 'No mail yet.')
    const mail = await mailbox.get({ id })
    const part = wantedPart(flags)
    const wanted = part && readPart(mail, part)
    if (part && wanted === undefined) {
      throw new CliFailure(
        'NOT_FOUND',
        exits.notFound,
        `Mail "${id}" has no ${part}.`,
        `Show the mail: svc mail show ${shellWord(id)}`,
      )
    }

    if (flags.html) this.logData(mail.html)
    else if (flags.raw) this.logData(mail.raw)
    else this.log(wanted === undefined ? mailText(mail) : printableLines(wanted))
    return mail
  }
}
