/** The port that letters leave by. */
export interface Mailer {
  /** Keeps a letter in the mailbox, and sends it where sending is set up. A letter that cannot be sent is kept all the same. */
  deliver(letter: Letter): Promise<void>
  close(): Promise<void>
}

/** A letter to a user of a project. */
export interface Letter {
  readonly project: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}
