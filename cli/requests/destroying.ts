/** Requests that destroy as much as the commands that save a snapshot before. Contract 12.6. */

const collection = /^(\/api)?\/collections\/[^/]+$/
const batch = /^(\/api)?\/collections\/[^/]+\/(batch-delete|batch\/documents\/(delete|update))$/

/** Whether a request takes away a collection, or takes away or changes several documents at once. */
export function destroysMany(method: string, path: string): boolean {
  const [place = ''] = path.split('?')
  const bare = place.replace(/\/+$/, '')
  return method === 'DELETE' ? collection.test(bare) : method === 'POST' && batch.test(bare)
}
