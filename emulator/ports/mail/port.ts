import type { Database } from '../../database/port.js'

/**
 * The port that sends mails. A transaction keeps a mail, which is sent after the commit. So a mail announced to a
 * caller is never lost with the process.
 */
export interface Mailer {
  /** Whether anybody can read the mail, because it is sent or kept. */
  readonly reachesReaders: boolean
  /** Composes the message, which takes a moment. Stores nothing. */
  compose(mail: OutgoingMail): Promise<ComposedMail>
  /** Stores a mail in the mailbox, as part of the transaction `db`. */
  keep(db: Database, mail: ComposedMail): Promise<void>
  /** Stores a mail that is not sent, with the reason. */
  refuse(db: Database, mail: ComposedMail, reason: string): Promise<void>
  /** Sends a mail in the background, if sending is set up. Failures are warnings. */
  send(mail: ComposedMail): void
  close(): Promise<void>
}

/** Sends mails in addition to the mailbox. */
export interface MailTransport {
  /** The name to show to people. */
  readonly name: string
  /** Connects and logs in without sending a mail; rejects with the reason if that fails. */
  verify(): Promise<void>
  /** Resolves once the server has accepted the message; rejects with the reason if not. */
  send(to: string, raw: Buffer): Promise<void>
  /** Closes at once. Messages in flight may be lost. */
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
  /** The complete message, as sent. */
  readonly raw: Buffer
}
