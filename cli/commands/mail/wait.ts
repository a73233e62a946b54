import * as Flags from '@oclif/core/flags'
import type { Control } from '../../../client/control.js'
import type { Mail } from '../../../client/protocol/control/mail.js'
import { listLimits } from '../../../client/protocol/model/limits.js'
import { ControlCommand } from '../../base/control-command.js'
import { CliFailure, exits, undefinedIfMissing } from '../../base/failure.js'
import { partFlags, readPart, toFlag, wantedPart } from '../../mail/mail-flags.js'
import { mailText } from '../../mail/mail-text.js'
import { asDuration } from '../../terminal/duration-flag.js'
import { prose } from '../../terminal/prose.js'
import { printableLines } from '../../terminal/text-width.js'

// The emulator ends a wait after at most a minute.
const maxSecondsPerWait = 30

export default class MailWait extends ControlCommand {
  static override summary = 'Wait for a mail and show it.'
  static override description =
    prose(`Shows the newest mail at once if there is one. To wait for a newer one, pass the id of the last mail with --after. With --link or
--code, waits for a mail that has one. Exits with 7 after --timeout.`)
  static override examples = [
    '<%= config.bin %> mail wait --to ada@example.com',
    '<%= config.bin %> users verify ada@example.com --token "$(<%= config.bin %> mail wait --to ada@example.com --link | sed "s/.*token=//")"',
  ]
  static override flags = {
    to: toFlag,
    after: Flags.string({ description: 'only mail newer than this one', helpValue: 'id' }),
    ...partFlags,
    timeout: Flags.integer({
      ...asDuration({ unit: 's' }),
      default: 30,
      description: 'how long to wait: 30s, 5m, or a number of seconds',
    }),
  }

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(MailWait)
    const part = wantedPart(flags)
    const mail = await this.waitForMail(
      this.control(flags).mail,
      flags,
      (mail) => !part || readPart(mail, part) !== undefined,
    )

    const wanted = part && readPart(mail, part)
    this.log(wanted === undefined ? mailText(mail) : printableLines(wanted))
    return mail
  }

  /** Waits for the newest matching mail. Skips all others. */
  private async waitForMail(
    mailbox: Control['mail'],
    { to, after, timeout }: { to?: string; after?: string; timeout: number },
    isMatch: (mail: Mail) => boolean,
  ): Promise<Mail> {
    const until = performance.now() + timeout * 1000
    for (let last = after; ; ) {
      // Lists all new mail, because a wait returns only the newest.
      const { mails } = await mailbox.list({ to, after: last, limit: listLimits.mails.most })
      for (const { id, refused } of mails) {
        const mail = refused === null ? await mailbox.get({ id }).catch(undefinedIfMissing) : undefined
        if (mail && isMatch(mail)) return mail
      }
      const seconds = (until - performance.now()) / 1000
      if (seconds <= 0) throw tooLate(to, timeout)
      last = mails[0]?.id ?? last
      await mailbox.wait({ to, after: last, timeout: Math.min(seconds, maxSecondsPerWait) }).catch(undefinedIfMissing)
    }
  }
}

function tooLate(to: string | undefined, seconds: number): CliFailure {
  const whom = to === undefined ? '' : ` for "${to}"`
  const message = `No matching mail${whom} arrived within ${seconds} s.`
  return new CliFailure('TIME_OUT', exits.network, message, 'List the mail: svc mail list')
}
