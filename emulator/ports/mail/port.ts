import type { Database } from '../../database/port.js'

/**
 * The port that mails leave by. A mail is written by the transaction that promises it, and sent once that has committed:
 * a message announced to a caller is never lost with the process.
 */
export interface Mailer {
  /** Whether a mail can be read by anybody: it is sent, or kept. */
  readonly reachesReaders: boolean
  /** Makes the message, which takes a moment; nothing is kept yet. */
  compose(mail: OutgoingMail): Promise<ComposedMail>
  /** Keeps a mail in the mailbox, as part of the transaction that is `db`. */
  keep(db: Database, mail: ComposedMail): Promise<void>
  /** Keeps a mail that is not sent, and why. */
  refuse(db: Database, mail: ComposedMail, reason: string): Promise<void>
  /** Sends a mail that is kept, where sending is set up. No request waits for it, and its failure is a warning. */
  send(mail: ComposedMail): void
  close(): Promise<void>
}

/** A way to send mails, beside keeping them. */
export interface MailTransport {
  /** What people call it. */
  readonly name: string
  /** Resolves once the message has been taken, as it is; rejects with what says why it was not. */
  send(to: string, raw: Buffer): Promise<void>
  /** Also while messages are on their way, which then may not arrive. */
  close(): Promise<void>
}

/** A mail to a user of a project. */
export interface OutgoingMail {
  readonly project: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface ComposedMail {
  readonly id: string
  readonly mail: OutgoingMail
  readonly createdAt: string
  /** The whole message, as it travels. */
  readonly raw: Buffer
}
