/** Sends messages to the other processes, one statement at a time, however many are published at once. */
import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/port.js'
import { countListeners, notify } from '../../store/realtime/notifications.js'
import { openConfirmations } from './confirmations.js'
import type { Message } from './port.js'
import { everyMessage, isMessageKind } from './subscribers.js'

export const channels = { messages: 'svc_messages', confirmations: 'svc_confirmations' } as const

/** The application name by which listening connections are counted. */
export const listenerName = 'svc realtime'

/** PostgreSQL refuses notifications of 8,000 bytes or more. */
const maxBytes = 7_900

export interface Outgoing {
  isOwn(payload: string): boolean
  /** Resolves once the others have received messages that affect permissions, or after a timeout. */
  add(messages: readonly Message[]): Promise<void>
  /** Confirms a message of another process, if it asks for that. */
  confirm(payload: string): void
  /** Records a confirmation, perhaps of one of our messages. */
  confirmed(payload: string): void
  close(): void
}

/** @param isListening whether this process listens, so that it does not wait for itself */
export function openOutgoing(db: Database, isListening: () => boolean, report: (error: unknown) => void): Outgoing {
  const sender = randomUUID()
  const confirmations = openConfirmations()
  /** Keyed by subject: the latest message replaces earlier ones. */
  const waiting = new Map<string, Message>()
  const askers = new Set<() => void>()
  let isSending = false
  let isClosed = false

  async function send(): Promise<void> {
    if (isSending) return
    isSending = true
    while (waiting.size > 0 && !isClosed) {
      // Sends the message that asks for confirmation last, so that its receiver has all of them.
      const messages = [...waiting.values()].sort((one, other) => Number(decides(one)) - Number(decides(other)))
      const asking = [...askers]
      waiting.clear()
      askers.clear()
      await sendAll(messages, asking)
    }
    isSending = false
  }

  async function sendAll(messages: readonly Message[], asking: readonly (() => void)[]): Promise<void> {
    const confirmation = asking.length > 0 && isListening() ? confirmations.begin() : undefined
    const confirm = confirmation?.id
    const payloads = messages.map((message, at) =>
      encodeMessage(sender, message, at === messages.length - 1 ? { confirm } : {}),
    )
    const isSent = await notify(db, channels.messages, payloads).then(
      () => true,
      (error) => report(error),
    )
    void (isSent && confirmation ? countOthers().then(confirmation.from) : Promise.resolve()).then(() => {
      for (const answer of asking) answer()
    })
  }

  const countOthers = () =>
    countListeners(db, listenerName).then(
      (listeners) => listeners - 1,
      () => 0,
    )

  return {
    isOwn: (payload) => payload.startsWith(sender),
    add(messages) {
      for (const message of messages) waiting.set(messageSubject(message), message)
      const acknowledged = messages.some(decides)
        ? new Promise<void>((resolve) => askers.add(resolve))
        : Promise.resolve()
      void send()
      return isClosed ? Promise.resolve() : acknowledged
    },
    confirm(payload) {
      const [to, id] = [payload.slice(0, sender.length), readConfirm(payload)]
      if (id !== undefined) void notify(db, channels.confirmations, [`${to} ${id} ${sender}`]).catch(report)
    },
    confirmed(payload) {
      const [to, id, by] = payload.split(' ')
      if (to === sender && by !== undefined) confirmations.acknowledged(Number(id), by)
    },
    close() {
      isClosed = true
      for (const answer of askers) answer()
    },
  }
}

/** Whether the message affects what a request may do. Its client may send the next request to another process. */
const decides = ({ kind }: Message) => kind !== 'changes'

function messageSubject(message: Message): string {
  return message.kind === 'changes' ? `changes ${message.project}` : message.kind
}

/** Falls back to "any project" if the project's id is too long to send. */
function encodeMessage(sender: string, message: Message, more: { readonly confirm?: number | undefined }): string {
  const payload = `${sender} ${JSON.stringify({ ...message, ...more })}`
  if (Buffer.byteLength(payload) <= maxBytes) return payload
  return `${sender} ${JSON.stringify({ ...message, ...more, project: null, seq: null })}`
}

/** Takes an unknown message of a newer service as "anything may have changed". */
export function decodeMessage(payload: string): readonly Message[] {
  try {
    const { confirm: _, ...message } = JSON.parse(payload.slice(payload.indexOf(' '))) as Message & { confirm?: number }
    return isMessageKind(message.kind) ? [message] : everyMessage
  } catch {
    return everyMessage
  }
}

function readConfirm(payload: string): number | undefined {
  return Number(/"confirm":(\d+)/.exec(payload)?.[1] ?? Number.NaN) || undefined
}
