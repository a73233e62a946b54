/** Takes over what a server has read for a page that it rendered. */
import type { Document } from '../protocol/model/document.js'
import { asText, type LiveState, noState } from '../store/index.js'

/** Lists and documents that a server has read, as plain JSON. */
export interface InitialData {
  /** Pages of lists, each with the query that the page asks for. */
  readonly lists?: readonly {
    readonly collection: string
    readonly query?: object
    readonly items: readonly Document<object>[]
    readonly total: number | null
  }[]
  readonly documents?: readonly {
    readonly collection: string
    readonly document: Document<object>
    /** Links and fields that the page populates and selects. */
    readonly options?: object
  }[]
}

/** Returns states by the text of collection and query. */
export function toInitialStates({
  lists = [],
  documents = [],
}: InitialData): ReadonlyMap<string, LiveState<Document<object>>> {
  const asLists = documents.map(({ collection, document, options }) => {
    return { collection, query: { where: { id: document.id }, limit: 1, ...options }, items: [document], total: 1 }
  })
  return new Map(
    [...lists, ...asLists].map(({ collection, query = {}, items, total }) => {
      return [asText([collection, query]), { ...noState, items, total, isLoading: false }]
    }),
  )
}
