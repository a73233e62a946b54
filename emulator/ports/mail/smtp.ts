import type { Transporter } from 'nodemailer'

/** A server that takes mail and passes it on. */
export interface Smtp {
  /** Resolves once the server has taken the message. */
  send(to: string, raw: Buffer): Promise<void>
  close(): Promise<void>
}

const mostMilliseconds = 10_000

/** @param url `smtp://user:password@host:port`, or `smtps://…`; nothing is asked of it before the first letter */
export function openSmtp(url: string, from: string): Smtp {
  let transport: Promise<Transporter> | undefined
  // Most emulators never write a letter: what sends them is loaded for the first one.
  async function open(): Promise<Transporter> {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      url,
      connectionTimeout: mostMilliseconds,
      greetingTimeout: mostMilliseconds,
      socketTimeout: mostMilliseconds,
    })
  }

  return {
    async send(to, raw) {
      transport ??= open()
      await (await transport).sendMail({ envelope: { from, to: [to] }, raw })
    },
    async close() {
      ;(await transport)?.close()
    },
  }
}
