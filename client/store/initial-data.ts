/** Takes over what a server has read for a page that it rendered. */
import type { ListOptions } from '../collections/collection.js'
import type { UntypedSchema } from '../index.js'
import type { Document, Fields } from '../protocol/model/document.js'
import { asText } from './as-text.js'

export type ListQuery = ListOptions<Fields, string, UntypedSchema>

/** A page of a list that a server has read, with the query that the page asks for. */
export interface InitialList {
  readonly collection: string
  readonly query?: object
  readonly items: readonly Document<object>[]
  readonly total: number | null
  readonly limit?: number | undefined
  /** The last change that it includes. Without it, the list is read once more. */
  readonly seq?: number | undefined
}

/** Data that a server has read, as plain JSON. `readInitialData` of `svc-toolkit-client/server` reads it. */
export interface InitialData {
  readonly lists: readonly InitialList[]
}

/** Returns the query by which a document is kept up to date. */
export function documentQuery(id: string, options?: Pick<ListQuery, 'populate' | 'select'>): ListQuery {
  return { where: { id }, limit: 1, ...options }
}

/** Returns the key of a list: the text of collection and query. */
export function keyOf({ collection, query = {} }: Pick<InitialList, 'collection' | 'query'>): string {
  return asText([collection, query])
}
