/**
 * The port that tells subscribers of all processes what was committed. It carries no data: subscribers read the
 * database.
 */

/** The kinds of messages. The types require every subscriber to handle each of them. */
interface Messages {
  /** A project (or any, if null) has changes up to `seq`, if known. */
  changes: { readonly project: string | null; readonly seq: number | null }
  /** The meaning of a key or token may have changed: its user, roles, session or project. */
  identity: object
  /** The settings of a project, or its collections with their schemas and permissions, may have changed. */
  settings: object
}

export type MessageKind = keyof Messages

export type MessageOf<Kind extends MessageKind> = {
  readonly [Name in Kind]: { readonly kind: Name } & Messages[Name]
}[Kind]

export type Message = MessageOf<MessageKind>

export type Handlers = { readonly [Kind in MessageKind]: (message: MessageOf<Kind>) => void }

export interface Bus {
  /**
   * Call after a commit. This process receives the messages at once, the others soon after. Resolves once they have
   * received `identity` and `settings` messages, or after a timeout. Does not wait for `changes`.
   */
  publish(messages: readonly Message[]): Promise<void>
  /** Calls back at least once for every message, sometimes more often. Call the result to unsubscribe. */
  subscribe(handlers: Handlers): () => void
  close(): Promise<void>
}
