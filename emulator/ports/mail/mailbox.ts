import { openInFlight } from '../../core/concurrency/in-flight.js'
import { insertMail } from '../../store/accounts/mails.js'
import { type Composing, composeMail } from './compose.js'
import type { Mailer, MailTransport } from './port.js'

interface Options extends Composing {
  /** Send mails in addition to the mailbox. */
  readonly transports: readonly MailTransport[]
  /** Receives messages about mails that could not be sent. */
  warn(message: string): void
}

/** The time that mails in flight have when the service closes. */
const closingMilliseconds = 1_000

/** Stores every mail in the database, and sends it through the transports, if any. */
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
        // The response to the request does not wait for a mail server.
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
  return `A mail could not be sent by ${transport}, but is in the mailbox: ${message}`
}
