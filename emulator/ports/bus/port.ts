/** The port that says what has been committed, to every process that subscribes. It carries no data: subscribers ask the database. */

/** What each kind says. One that is added here is demanded of every subscriber. */
interface Messages {
  /** A project, or any, has changes up to that number, where it is known. */
  changes: { readonly project: string | null; readonly seq: number | null }
  /** What a key or a token stands for may be different: its user, roles, session or project. */
  identity: object
  /** A project's settings or its collections, with their schemas and permissions, may be different. */
  settings: object
}

export type MessageKind = keyof Messages

export type MessageOf<Kind extends MessageKind> = {
  readonly [Name in Kind]: { readonly kind: Name } & Messages[Name]
}[Kind]

export type Message = MessageOf<MessageKind>

/** What a subscriber does with each kind. */
export type Handlers = { readonly [Kind in MessageKind]: (message: MessageOf<Kind>) => void }

export interface Bus {
  /**
   * To be called after a commit: this process receives the messages at once, the others soon after. Resolves once they have
   * received those of `identity` and `settings`, or a while has passed; `changes` need not be waited for.
   */
  publish(messages: readonly Message[]): Promise<void>
  /** Calls back for everything that is published, more often than needed, never less. The answer ends it. */
  subscribe(handlers: Handlers): () => void
  close(): Promise<void>
}
