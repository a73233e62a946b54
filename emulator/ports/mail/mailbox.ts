import { setTimeout as pause } from 'node:timers/promises'
import { insertMail } from '../../store/accounts/mails.js'
import type { Mailer } from './port.js'
import { openSmtp } from './smtp.js'

interface Options {
  now(): Date
  newId(at: Date): string
  /** `smtp://user:password@host:port`: letters are sent there, too. */
  readonly smtpUrl?: string | undefined
  /** Who the letters are from. */
  readonly from: string
  /** Hears, in words, of letters that could not be sent. */
  warn(message: string): void
}

/** Letters that are on their way when the service is closed have this long to arrive. */
const closingMilliseconds = 1_000

/** A mailbox in the database, where every letter lands; with an SMTP server, letters are sent as well. */
export function openMailbox({ now, newId, smtpUrl, from, warn }: Options): Mailer {
  const smtp = smtpUrl === undefined ? undefined : openSmtp(smtpUrl, from)
  const sending = new Set<Promise<void>>()

  return {
    async compose(letter) {
      const { to, subject, text, html } = letter
      const at = now()
      const id = newId(at)
      const messageId = `<${id}@svc.localhost>`
      const message = { from, to, subject, text, html, date: at, messageId, newline: 'windows' }
      const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
      const raw = await new MailComposer(message).compile().build()
      return { id, letter, createdAt: at.toISOString(), raw }
    },
    keep: (db, { id, letter, createdAt, raw }) =>
      insertMail(db, { ...letter, id, createdAt, refused: null }, raw.toString('utf8')),
    refuse: (db, { id, letter, createdAt, raw }, reason) =>
      insertMail(db, { ...letter, id, createdAt, refused: reason }, raw.toString('utf8')),
    send({ letter: { to }, raw }) {
      if (!smtp) return
      // Whoever waits for the answer does not wait for somebody else's server.
      const sent = smtp.send(to, raw).catch((error: Error) => warn(notSent(error)))
      sending.add(sent)
      sent.finally(() => sending.delete(sent))
    },
    async close() {
      if (sending.size > 0) await Promise.race([Promise.all(sending), pause(closingMilliseconds)])
      await smtp?.close()
    },
  }
}

function notSent({ message }: Error): string {
  return `A mail could not be sent by SMTP, but lies in the mailbox: ${message}`
}
