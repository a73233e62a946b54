/** Sends messages in order, one at a time. Retries each until the service accepts or refuses it. */
import { SvcError } from 'svc-toolkit-client'
import { describeError, isTransient, svc } from './svc'
import type { Message } from './svc-types'

export interface Outgoing {
  readonly message: Message
  readonly file?: File
  /** Upload progress from 0 to 1. */
  sent: number
  /** Reason for the current retry. */
  waiting?: string
  /** Reason for the refusal. */
  refused?: string
}

export interface Outbox {
  readonly items: readonly Outgoing[]
  send(outgoing: Pick<Outgoing, 'message' | 'file'>): void
  again(outgoing: Outgoing): void
  discard(outgoing: Outgoing): void
}

const pauseMilliseconds = 2_000
const messages = svc.collection('messages')

/** Opens an outbox that stops when the signal aborts. */
export function openOutbox(signal: AbortSignal, changed: () => void): Outbox {
  let items: Outgoing[] = []
  let isRunning = false

  async function run() {
    changed()
    if (isRunning) return
    isRunning = true
    for (;;) {
      const next = items.find(({ refused }) => refused === undefined)
      if (!next || signal.aborted) break
      await attempt(next)
      changed()
    }
    isRunning = false
  }

  async function attempt(next: Outgoing) {
    const { message, file } = next
    // Uses one key for all attempts, so that retries create one file and one message.
    const idempotencyKey = message.key
    try {
      const onProgress = (sentBytes: number, totalBytes: number) => {
        next.sent = sentBytes / Math.max(totalBytes, 1)
        changed()
      }
      const options = { path: 'chat', idempotencyKey: `file-${idempotencyKey}`, onProgress, signal }
      const stored = file && (await svc.files.upload(file, options))
      const fields = { ...message, fileName: stored?.name, fileUrl: stored?.url }
      await messages.create(fields, { idempotencyKey, signal })
      items = items.filter((item) => item !== next)
    } catch (error) {
      if (error instanceof SvcError && isTransient(error)) {
        next.waiting = describeError(error)
        changed()
        await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds))
      } else next.refused = describeError(error)
    }
  }

  return {
    get items() {
      return items
    },
    send(outgoing) {
      items = [...items, { ...outgoing, sent: 0 }]
      void run()
    },
    again(outgoing) {
      outgoing.refused = undefined
      outgoing.waiting = undefined
      void run()
    },
    discard(outgoing) {
      items = items.filter((item) => item !== outgoing)
      changed()
    },
  }
}
