import { setTimeout as pause } from 'node:timers/promises'
import { formatCount } from '../../../client/protocol/model/figures.js'
import { mailVariables } from '../../../client/protocol/model/mail-transports.js'
import { type Composing, composeMail } from './compose.js'
import type { Mailer, MailTransport } from './port.js'

interface Options extends Composing {
  /** Each of them sends every mail. */
  readonly transports: readonly MailTransport[]
  /** Receives messages about mails that could not be sent. They contain no address. */
  warn(message: string): void
  /** The pause between retries. */
  readonly pauseMilliseconds?: number
}

/** Retries for servers that greylist or restart. */
const maxTries = 3

/** Limits the queue. It is lost with the process, and users can request refused mails again. */
const maxWaiting = 1_000

/** Limits each project, so that one cannot fill the queue of all. */
const maxOfProject = 200

/** The time that mails in flight have when the service closes. */
const closingMilliseconds = 5_000

/** Waits for closed transports to report their failures before the process ends. */
const failingMilliseconds = 1_000

/**
 * Sends mails and stores none, because their contents open accounts. A mail in flight is lost with its process; users
 * can request it again.
 */
export function openOutbox({ transports, warn, pauseMilliseconds = 2_000, ...composing }: Options): Mailer {
  /** Maps each unsent mail to its project. */
  const sending = new Map<Promise<void>, string>()
  let isClosing = false

  async function deliver({ name, send }: MailTransport, to: string, raw: Buffer): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await send(to, raw)
      } catch (error) {
        // Adds jitter, so that mails that failed together are not retried together.
        const wait = pauseMilliseconds * tries * (0.5 + Math.random() / 2)
        if (tries < maxTries && !isClosing && isTemporary(error)) await pause(wait)
        else return warn(`A mail could not be sent by ${name}: ${describeFailure(error)}`)
      }
    }
  }

  return {
    reachesReaders: transports.length > 0,
    compose: (mail) => composeMail(composing, mail),
    keep: async () => undefined,
    refuse: async () => undefined,
    send({ mail: { project, to }, raw }) {
      if (transports.length === 0)
        warn(`A mail was not sent: no mail server is set. Set ${mailVariables.join(' or ')}.`)
      if (sending.size >= maxWaiting) return warn(tooMany(maxWaiting))
      const ofProject = [...sending.values()].filter((other) => other === project).length
      if (ofProject >= maxOfProject) return warn(tooMany(maxOfProject, ' of its project'))
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
  return `A mail was not sent: ${formatCount(count)} others${which} are waiting.`
}

/** A 5xx reply means that the server will never accept the mail. */
function isTemporary(error: unknown): boolean {
  const { responseCode } = Object(error)
  return !(typeof responseCode === 'number' && responseCode >= 500)
}

/** Omits the server's text: it may contain the mail's address, which must not be logged. */
function describeFailure(error: unknown): string {
  const { responseCode, code } = Object(error)
  return String(responseCode ?? code ?? (error instanceof Error ? error.name : 'unknown'))
}
