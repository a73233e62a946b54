import type { Transporter } from 'nodemailer'
import type { MailTransport } from './port.js'

const mostMilliseconds = 10_000

/** Servers refuse who opens more at once; mails beyond these wait for one of them. */
const mostConnections = 5

/** A server that takes mail and passes it on. @param url `smtp://…` or `smtps://…`; nothing is asked of it before the first mail */
export function openSmtp(url: string, from: string): MailTransport {
  let transport: Promise<Transporter> | undefined
  return {
    name: 'SMTP',
    async send(to, raw) {
      transport ??= openTransport(url)
      await (await transport).sendMail({ envelope: { from, to: [to] }, raw })
    },
    async close() {
      // What is on its way has had its time.
      ;(await transport)?.close({ force: true })
    },
  }
}

/** Connects and logs in, and sends nothing. @throws what keeps it from that */
export async function verifySmtp(url: string): Promise<void> {
  const transport = await openTransport(url)
  await transport.verify().finally(() => transport.close())
}

/** Most emulators never send a mail: what sends them is loaded for the first one. */
async function openTransport(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url,
    pool: true,
    maxConnections: mostConnections,
    // Whoever sends decides whether to try again.
    maxRequeues: 0,
    // Before the server hangs up.
    idleTimeout: mostMilliseconds / 2,
    connectionTimeout: mostMilliseconds,
    greetingTimeout: mostMilliseconds,
    socketTimeout: mostMilliseconds,
  })
}
