import type { Transporter } from 'nodemailer'
import type { Database } from '../database/database.js'
import { insertMail } from '../store/mails.js'
import type { Mailer } from './mailer.js'

interface Options {
  readonly db: Database
  now(): Date
  newId(at: Date): string
  /** `smtp://user:password@host:port`: letters are sent there, too. */
  readonly smtpUrl?: string | undefined
  /** Who the letters are from. */
  readonly from: string
  /** Hears of letters that could not be sent. */
  report(error: unknown): void
}

/** A mailbox in the database, where every letter lands; with an SMTP server, letters are sent as well. */
export function openMailbox({ db, now, newId, smtpUrl, from, report }: Options): Mailer {
  let transport: Promise<Transporter> | undefined
  // Most emulators never write a letter: what builds and sends them is loaded for the first one.
  async function post(to: string, raw: Buffer): Promise<void> {
    if (smtpUrl === undefined) return
    transport ??= import('nodemailer').then(({ createTransport }) => createTransport(smtpUrl))
    await (await transport).sendMail({ envelope: { from, to: [to] }, raw })
  }

  return {
    async deliver({ project, to, subject, text, html }) {
      const at = now()
      const id = newId(at)
      const message = { from, to, subject, text, html, date: at, messageId: `<${id}@svc.localhost>` }
      const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
      const raw = await new MailComposer(message).compile().build()
      await insertMail(db, { id, project, to, subject, text, html, createdAt: at.toISOString() }, raw.toString('utf8'))
      // Whoever waits for the answer does not wait for somebody else's server.
      post(to, raw).catch(report)
    },
    async close() {
      ;(await transport)?.close()
    },
  }
}
