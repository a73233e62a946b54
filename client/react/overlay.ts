/** What was written and not yet confirmed, laid over the documents of a collection wherever they are shown. */
import type { Document } from '../protocol/model/document.js'

type Doc = Document<object>

/** One write on its way. */
interface Change {
  readonly kind: 'create' | 'update' | 'delete'
  readonly id: string
  readonly data: object
  /** As the service has answered; then it stays until a list shows as much. */
  confirmed?: Doc
}

export interface Overlay {
  /** Shows a change from now on. */
  begin(change: Omit<Change, 'confirmed'>): Pending
  /** The documents as they will be. `isFiltered`: whether a new one may belong elsewhere. */
  apply<Item extends Doc>(items: readonly Item[], isFiltered: boolean): readonly Item[]
  /** Drops what a list that was read now shows by itself. */
  settle(items: readonly Doc[]): void
  onChange(listener: () => void): () => void
}

export interface Pending {
  /** The service has taken it. */
  confirm(document: Doc | undefined): void
  /** The service has refused it: it was never so. */
  rollBack(): void
}

/** A list that does not show a confirmed change by then holds it elsewhere. */
const mostMilliseconds = 5_000

export function openOverlay(): Overlay {
  let changes: readonly Change[] = []
  const listeners = new Set<() => void>()

  function put(next: readonly Change[]) {
    changes = next
    for (const listener of listeners) listener()
  }

  return {
    begin(given) {
      const change: Change = { ...given }
      const drop = () => put(changes.filter((other) => other !== change))
      put([...changes, change])
      return {
        confirm(document) {
          change.confirmed = document
          put([...changes])
          setTimeout(drop, mostMilliseconds)
        },
        rollBack: drop,
      }
    },
    apply: (items, isFiltered) => changes.reduce((shown, change) => applied(shown, change, isFiltered), items),
    settle(items) {
      const isShown = ({ kind, id, confirmed }: Change) => {
        const found = items.find((item) => item.id === (confirmed?.id ?? id))
        if (kind === 'delete') return confirmed !== undefined && !found
        return confirmed !== undefined && found !== undefined && found.updatedAt >= confirmed.updatedAt
      }
      if (changes.some(isShown)) put(changes.filter((change) => !isShown(change)))
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function applied<Item extends Doc>(items: readonly Item[], change: Change, isFiltered: boolean): readonly Item[] {
  const { kind, id, data, confirmed } = change
  if (kind === 'delete') return items.filter((item) => item.id !== id)
  if (kind === 'update') {
    return items.map((item) => {
      if (item.id !== id || (confirmed && item.updatedAt >= confirmed.updatedAt)) return item
      return { ...item, data: { ...item.data, ...data } }
    })
  }
  if (isFiltered || items.some((item) => item.id === confirmed?.id)) return items
  const at = new Date().toISOString()
  return [(confirmed ?? { id, data, createdAt: at, updatedAt: at }) as Item, ...items]
}
