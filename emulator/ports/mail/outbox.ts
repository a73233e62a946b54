import { setTimeout as pause } from 'node:timers/promises'
import { formatCount } from '../../../client/protocol/model/figures.js'
import { type Composing, composeMail } from './compose.js'
import type { Mailer, MailTransport } from './port.js'

interface Options extends Composing {
  /** By each of them, mails are sent. */
  readonly transports: readonly MailTransport[]
  /** Receives, in words that name no address, what could not be sent. */
  warn(message: string): void
  /** Between two tries. */
  readonly pauseMilliseconds?: number
}

/** A server that greylists or restarts is asked again. */
const mostTries = 3

/** Of mails that wait for a server, which are lost with the process: what is beyond them can be asked for again. */
const mostWaiting = 1_000

/** Who asks for mails of one project without end keeps none from the others. */
const mostOfProject = 200

/** Mails that are on their way when the service is closed have this long to arrive. */
const closingMilliseconds = 5_000

/** Transports fail what they have not sent a moment after they were closed, which is to be said before the process ends. */
const failingMilliseconds = 1_000

/**
 * Sends mails and keeps none: what is in them opens accounts. One that is on its way is lost with its process, and can be asked
 * for again.
 */
export function openOutbox({ transports, warn, pauseMilliseconds = 2_000, ...composing }: Options): Mailer {
  /** The project of each mail that is not sent yet. */
  const sending = new Map<Promise<void>, string>()
  let isClosing = false

  async function deliver({ name, send }: MailTransport, to: string, raw: Buffer): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await send(to, raw)
      } catch (error) {
        // What failed at once is not tried again at once.
        const wait = pauseMilliseconds * tries * (0.5 + Math.random() / 2)
        if (tries < mostTries && !isClosing && mayPass(error)) await pause(wait)
        else return warn(`A mail could not be sent by ${name}: ${reasonOf(error)}`)
      }
    }
  }

  return {
    reachesReaders: transports.length > 0,
    compose: (mail) => composeMail(composing, mail),
    keep: async () => undefined,
    refuse: async () => undefined,
    send({ mail: { project, to }, raw }) {
      if (transports.length === 0) warn('A mail was not sent: no mail server is set. Set SVC_SMTP_URL.')
      if (sending.size >= mostWaiting) return warn(tooMany(mostWaiting))
      const ofProject = [...sending.values()].filter((other) => other === project).length
      if (ofProject >= mostOfProject) return warn(tooMany(mostOfProject, ' of its project'))
      for (const transport of transports) {
        const sent = deliver(transport, to, raw)
        sending.set(sent, project)
        void sent.finally(() => sending.delete(sent))
      }
    },
    async close() {
      isClosing = true
      const sent = Promise.all(sending.keys())
      if (sending.size > 0) await Promise.race([sent, pause(closingMilliseconds)])
      await Promise.all(transports.map((transport) => transport.close()))
      if (sending.size > 0) await Promise.race([sent, pause(failingMilliseconds)])
    },
  }
}

function tooMany(count: number, which = ''): string {
  return `A mail was not sent: ${formatCount(count)} others${which} wait to be.`
}

/** An SMTP server says by 5xx that it will never take that mail. */
function mayPass(error: unknown): boolean {
  const { responseCode } = Object(error)
  return !(typeof responseCode === 'number' && responseCode >= 500)
}

/** What servers say may hold the address of the mail, which belongs in no log. */
function reasonOf(error: unknown): string {
  const { responseCode, code } = Object(error)
  return String(responseCode ?? code ?? (error instanceof Error ? error.name : 'unknown'))
}
