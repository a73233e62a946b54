/** Caches documents to know their previous content, because events carry only the new one. */

import type { Client, DocumentChange, Fields } from '../../client/index.js'
import { halving } from '../documents/halving.js'

export interface FormerDocuments {
  /** Loads the newest documents of a collection, so that their next change can be shown by field. */
  look(collection: string): Promise<void>
  /** Stores the changed document, and returns the previous one if it is cached. */
  replace(change: DocumentChange): Fields | undefined
}

/** Preloads the newest documents, because they are the most likely to change. */
const maxPreloaded = 200
const maxCached = 5_000

export function formerDocuments(client: Client): FormerDocuments {
  const cached = new Map<string, Fields>()
  const keep = (id: string, data: Fields) => {
    cached.delete(id)
    cached.set(id, data)
    const [oldest] = cached.keys()
    if (cached.size > maxCached && oldest !== undefined) cached.delete(oldest)
  }
  return {
    async look(collection) {
      let pageSize = 100
      for (let offset = 0; offset < maxPreloaded; offset += pageSize) {
        const [answer, limit] = await halving(pageSize, (limit) =>
          client.collection(collection).list({ limit, offset, count: false }),
        )
        pageSize = limit
        for (const { id, data } of answer.items) keep(id, data)
        if (answer.items.length < pageSize) return
      }
    },
    replace({ kind, document: { id, data } }) {
      const before = cached.get(id)
      if (kind === 'deleted') cached.delete(id)
      else keep(id, data)
      return before
    },
  }
}
