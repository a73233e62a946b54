/** Applies pending writes to the documents of a collection wherever they are shown. */
import type { Document, Fields } from '../protocol/model/document.js'
import { asText } from './as-text.js'

type Doc = Document<object>

/** A pending write. */
interface Change {
  readonly kind: 'create' | 'update' | 'delete'
  readonly id: string
  readonly data: object
  /** ISO 8601, by the local clock. */
  readonly begunAt: string
  isConfirmed?: boolean
  /** The saved document; undefined if deleted. */
  confirmed?: Doc
}

/** Changes that a list already contains. The overlay skips them there. */
export type Settled = WeakSet<object>

export interface Overlay {
  /** Shows a change from now on. */
  begin(change: Pick<Change, 'kind' | 'id' | 'data'>): Pending
  /** Applies pending changes to a list. Leaves new documents out of filtered lists, which may not match them. */
  apply<Item extends Doc>(items: readonly Item[], settled: Settled, isFiltered: boolean): readonly Item[]
  /** Records which changes a list contains after a read. */
  settle(items: readonly Doc[], settled: Settled): void
  onChange(listener: () => void): () => void
  /** Queues writes per document, because concurrent ones could arrive in any order. */
  inTurn<Result>(id: string, work: () => Promise<Result>): Promise<Result>
}

export interface Pending {
  /** Marks the write as saved. */
  confirm(document: Doc | undefined): void
  /** Removes a refused write. */
  rollBack(): void
}

/** How long a confirmed change stays in the overlay. A list without a new document by then has it on another page. */
const maxMilliseconds = { create: 10_000, update: 60_000, delete: 60_000 }

export function openOverlay(): Overlay {
  let changes: readonly Change[] = []
  const listeners = new Set<() => void>()
  const lastQueued = new Map<string, Promise<unknown>>()

  function put(next: readonly Change[]) {
    changes = next
    for (const listener of listeners) listener()
  }

  return {
    begin(given) {
      const change: Change = { ...given, begunAt: new Date().toISOString() }
      const drop = () => put(changes.filter((other) => other !== change))
      put([...changes, change])
      return {
        confirm(document) {
          change.isConfirmed = true
          change.confirmed = document
          put([...changes])
          setTimeout(drop, maxMilliseconds[change.kind])
        },
        rollBack: drop,
      }
    },
    apply: (items, settled, isFiltered) =>
      changes
        .filter((change) => !settled.has(change))
        .reduce((shown, change) => applied(shown, change, isFiltered), items),
    settle(items, settled) {
      for (const change of changes) {
        const { id, isConfirmed, confirmed } = change
        const found = items.find((item) => item.id === (confirmed?.id ?? id))
        const isShown = confirmed ? found && found.updatedAt >= confirmed.updatedAt : !found
        if (isConfirmed && isShown) settled.add(change)
      }
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    inTurn(id, work) {
      const queued = (lastQueued.get(id) ?? Promise.resolve()).then(work, work)
      lastQueued.set(id, queued)
      const end = () => lastQueued.get(id) === queued && lastQueued.delete(id)
      queued.then(end, end)
      return queued
    },
  }
}

function applied<Item extends Doc>(items: readonly Item[], change: Change, isFiltered: boolean): readonly Item[] {
  const { kind, id, data, confirmed, begunAt } = change
  if (kind === 'delete') return items.filter((item) => item.id !== id)
  if (kind === 'update') {
    return items.map((item) => {
      if (item.id !== id || (confirmed && item.updatedAt >= confirmed.updatedAt)) return item
      return { ...item, data: { ...item.data, ...data } }
    })
  }
  if (isFiltered || items.some((item) => (confirmed ? item.id === confirmed.id : isWrittenAs(change, item))))
    return items
  return [(confirmed ?? { id, data, createdAt: begunAt, updatedAt: begunAt }) as Item, ...items]
}

/** Recognizes a new document that a list shows before its create has been confirmed, so that it is not shown twice. */
function isWrittenAs({ data, begunAt }: Change, item: Doc): boolean {
  const found = item.data as Fields
  const isEqual = ([name, value]: [string, unknown]) => asText(found[name]) === asText(value)
  return item.createdAt >= begunAt && Object.entries(data).every(isEqual)
}
