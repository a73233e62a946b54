/** What documents were before a change, as far as they were seen: events tell what they are. */

import type { Client, DocumentChange, Fields } from '../../client/index.js'
import { halving } from '../documents/halving.js'

export interface FormerDocuments {
  /** Looks at the newest documents of a collection, so that their next change can be shown field by field. */
  look(collection: string): Promise<void>
  /** What the document was; nothing if it was not seen. From then on it is what the change made of it. */
  replace(change: DocumentChange): Fields | undefined
}

/** The newest of a collection are those that most often change next. */
const mostSeenAhead = 200
const mostKept = 5_000

export function formerDocuments(client: Client): FormerDocuments {
  const cached = new Map<string, Fields>()
  const keep = (id: string, data: Fields) => {
    cached.delete(id)
    cached.set(id, data)
    const [oldest] = cached.keys()
    if (cached.size > mostKept && oldest !== undefined) cached.delete(oldest)
  }
  return {
    async look(collection) {
      let most = 100
      for (let offset = 0; offset < mostSeenAhead; offset += most) {
        const [answer, limit] = await halving(most, (limit) =>
          client.collection(collection).list({ limit, offset, count: false }),
        )
        most = limit
        for (const { id, data } of answer.items) keep(id, data)
        if (answer.items.length < most) return
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
