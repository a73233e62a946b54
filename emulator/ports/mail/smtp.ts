import type { Transporter } from 'nodemailer'
import type { MailTransport } from './port.js'

const maxMilliseconds = 10_000

/** Servers refuse clients that open more at once. Further mails wait for a connection. */
const maxConnections = 5

/** Sends through an SMTP server. @param url `smtp://…` or `smtps://…`; connects with the first mail */
export function openSmtp(url: string, from: string): MailTransport {
  let transport: Promise<Transporter> | undefined
  return {
    name: 'SMTP',
    async send(to, raw) {
      transport ??= openTransport(url)
      await (await transport).sendMail({ envelope: { from, to: [to] }, raw })
    },
    async verify() {
      transport ??= openTransport(url)
      await (await transport).verify()
    },
    async close() {
      // Forces the close, because mails in flight have had their time.
      ;(await transport)?.close({ force: true })
    },
  }
}

/** Loads the mail library on demand, because most emulators never send a mail. */
async function openTransport(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url,
    pool: true,
    maxConnections,
    // The caller decides about retries.
    maxRequeues: 0,
    // Closes idle connections before the server does.
    idleTimeout: maxMilliseconds / 2,
    connectionTimeout: maxMilliseconds,
    greetingTimeout: maxMilliseconds,
    socketTimeout: maxMilliseconds,
  })
}
