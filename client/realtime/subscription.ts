import type { Document, Fields } from '../model/document.js'
import { SvcError } from '../model/errors.js'
import { asFailure } from '../send.js'
import type { Session } from '../session.js'
import type { WhereInput } from '../types.js'
import { toWhere } from '../where.js'
import type { ToldChange } from '../wire/messages.js'
import { writeFilters } from '../wire/query.js'
import type { Listener } from './listener.js'

/** What became of a document. */
export interface DocumentChange<Data = Fields> {
  readonly kind: 'created' | 'updated' | 'deleted'
  /** As it is after the change; of a deleted one, what it was. */
  readonly document: Document<Data>
  /** Its place among the changes of the project; `since` takes it. */
  readonly seq: number
}

/** `open` while the service tells; `reconnecting` when the connection was lost and is tried again. */
export type RealtimeStatus = 'connecting' | 'open' | 'reconnecting' | 'closed'

export interface SubscribeOptions<Data = Fields> {
  /** Only changes of documents that match. */
  readonly where?: WhereInput<Data>
  /** Tells as deleted what no longer matches, and as created what begins to. */
  readonly live?: boolean
  /** The changes behind this one; left out, from now. */
  readonly since?: number
  /** Closes the subscription when it aborts. */
  readonly signal?: AbortSignal
  /** Called with each change, which then does not wait for `for await`. */
  readonly onChange?: (change: DocumentChange<Data>) => void
  readonly onStatus?: (status: RealtimeStatus) => void
  /** Changes were missed that the service no longer keeps: read again what you show. Without it, that is an error. */
  readonly onResync?: () => void
  /** The service ended the subscription, or never began it. */
  readonly onError?: (error: SvcError) => void
}

/** Changes as they happen. Each comes once, in order, also over a connection that was lost in between. */
export interface Subscription<Data = Fields> extends AsyncIterable<DocumentChange<Data>> {
  readonly status: RealtimeStatus
  /** When the service tells from now on; fails if it never will. */
  readonly ready: Promise<void>
  close(): void
}

export function openSubscription<Data>(
  session: Session,
  collection: string,
  options: SubscribeOptions<Data>,
): Subscription<Data> {
  const { where, live = false, since, signal, onChange, onStatus, onResync, onError } = options
  const unread: DocumentChange<Data>[] = []
  let status: RealtimeStatus = 'connecting'
  let failure: SvcError | undefined
  let wake = () => {}
  let leave = () => {}
  let settle: { resolve(): void; reject(error: unknown): void }
  const ready = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // Who does not ask for it need not hear of it twice.
  ready.catch(() => undefined)

  function become(next: RealtimeStatus) {
    if (status === next || status === 'closed') return
    status = next
    if (onStatus) queueMicrotask(() => onStatus(next))
    wake()
  }

  function close(error?: SvcError) {
    if (status === 'closed') return
    failure = error
    become('closed')
    signal?.removeEventListener('abort', abort)
    leave()
    settle.reject(error ?? new DOMException('The subscription was closed.', 'AbortError'))
    if (error && onError) queueMicrotask(() => onError(error))
  }

  const abort = () => close()

  async function begin() {
    if (signal?.aborted) return close()
    signal?.addEventListener('abort', abort)
    const filters = writeFilters(await session.dialect(), toWhere(where))
    if (status !== 'closed') leave = session.transport({ ...listener, filters })
  }

  const listener: Omit<Listener, 'filters'> = {
    collection,
    live,
    since,
    opened() {
      become('open')
      settle.resolve()
    },
    told(change: ToldChange) {
      const told = change as unknown as DocumentChange<Data>
      if (onChange) return queueMicrotask(() => status !== 'closed' && onChange(told))
      unread.push(told)
      wake()
    },
    lost: () => become('reconnecting'),
    missed: () =>
      onResync
        ? queueMicrotask(onResync)
        : close(new SvcError('RESYNC', 'Those changes are no longer kept. Read the collection again.')),
    ended: close,
  }

  async function* changes(): AsyncGenerator<DocumentChange<Data>, void, undefined> {
    try {
      for (;;) {
        yield* unread.splice(0)
        if (unread.length > 0) continue
        if (failure) throw failure
        if (status === 'closed') return
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    } finally {
      close()
    }
  }

  begin().catch((error) => close(asFailure(error)))
  return {
    get status() {
      return status
    },
    ready,
    close: () => close(),
    [Symbol.asyncIterator]: changes,
  }
}
