/** Applies pending writes to the documents of a list. */
import type { Document, Fields } from '../protocol/model/document.js'
import { asText } from './as-text.js'
import type { Mutation } from './mutation.js'

type Doc = Document<object>

/** What a list has read from the service. */
export interface Read {
  readonly items: readonly Doc[]
  /** Saved writes that the read includes: those up to this turn of the outbox. */
  readonly turn: number
}

/** Applies the writes of a collection to a list that does not include them yet. */
export function applyMutations({ items, turn }: Read, mutations: readonly Mutation[], isFiltered: boolean) {
  return mutations.reduce((shown, mutation) => {
    const { id, document, turn: savedIn } = mutation
    const isRead = (savedIn ?? Infinity) <= turn
    const isNewer = document && items.some((item) => item.id === id && item.updatedAt >= document.updatedAt)
    return isRead || isNewer ? shown : applied(shown, mutation, isFiltered)
  }, items)
}

function applied(items: readonly Doc[], mutation: Mutation, isFiltered: boolean): readonly Doc[] {
  const { kind, id, body, document, begunAt } = mutation
  if (kind === 'remove') return items.filter((item) => item.id !== id)
  if (kind === 'update')
    return items.map((item) => (item.id === id ? { ...item, data: { ...item.data, ...body } } : item))
  if (isFiltered || items.some((item) => (document ? item.id === id : isWrittenAs(mutation, item)))) return items
  return [document ?? { id, data: body, createdAt: begunAt, updatedAt: begunAt }, ...items]
}

/** Recognizes a new document that a list shows before its create has been confirmed, so that it is not shown twice. */
function isWrittenAs({ body, begunAt }: Mutation, item: Doc): boolean {
  const found = item.data as Fields
  const isEqual = ([name, value]: [string, unknown]) => asText(found[name]) === asText(value)
  return item.createdAt >= begunAt && Object.entries(body).every(isEqual)
}
