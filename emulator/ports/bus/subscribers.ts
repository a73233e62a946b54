/** The subscribers of this process; every bus uses them. */
import type { Handlers, Message, MessageKind, MessageOf } from './port.js'

export interface Subscribers {
  receive(messages: readonly Message[]): void
  subscribe(handlers: Handlers): () => void
  clear(): void
}

/** One message of each kind, as if anything had changed. */
const anything: { readonly [Kind in MessageKind]: MessageOf<Kind> } = {
  settings: { kind: 'settings' },
  identity: { kind: 'identity' },
  changes: { kind: 'changes', project: null, seq: null },
}

/** For subscribers that may have missed messages. */
export const everyMessage: readonly Message[] = Object.values(anything)

export function isMessageKind(kind: unknown): kind is MessageKind {
  return typeof kind === 'string' && Object.hasOwn(anything, kind)
}

export function openSubscribers(): Subscribers {
  const all = new Set<Handlers>()
  return {
    receive(messages) {
      for (const message of messages) for (const handlers of all) handle(handlers, message)
    },
    subscribe(handlers) {
      all.add(handlers)
      return () => all.delete(handlers)
    },
    clear: () => all.clear(),
  }
}

function handle<Kind extends MessageKind>(handlers: Handlers, message: MessageOf<Kind>): void {
  handlers[message.kind](message)
}
