import { openInFlight } from '../../core/concurrency/in-flight.js'
import { insertMail } from '../../store/accounts/mails.js'
import { type Composing, composeMail } from './compose.js'
import type { Mailer, MailTransport } from './port.js'

interface Options extends Composing {
  /** By each of them, mails are sent as well. */
  readonly transports: readonly MailTransport[]
  /** Receives, in words, what could not be sent. */
  warn(message: string): void
}

/** Mails that are on their way when the service is closed have this long to arrive. */
const closingMilliseconds = 1_000

/** A mailbox in the database, where every mail lands; by the transports, mails are sent as well. */
export function openMailbox({ transports, warn, ...composing }: Options): Mailer {
  const sending = openInFlight()

  return {
    reachesReaders: true,
    compose: (mail) => composeMail(composing, mail),
    keep: (db, { id, mail, createdAt, raw }) =>
      insertMail(db, { ...mail, id, createdAt, refused: null }, raw.toString('utf8')),
    refuse: (db, { id, mail, createdAt, raw }, reason) =>
      insertMail(db, { ...mail, id, createdAt, refused: reason }, raw.toString('utf8')),
    send({ mail: { to }, raw }) {
      for (const { name, send } of transports) {
        // The answer to the request does not wait for a mail server.
        void sending.add(send(to, raw).catch((error: Error) => warn(notSent(name, error))))
      }
    },
    async close() {
      await sending.settled(closingMilliseconds)
      await Promise.all(transports.map((transport) => transport.close()))
    },
  }
}

function notSent(transport: string, { message }: Error): string {
  return `A mail could not be sent by ${transport}, but lies in the mailbox: ${message}`
}
