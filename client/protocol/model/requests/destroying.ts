/** Detects destructive requests, before which commands and pages save a snapshot. Contract 12.6. */

const collection = /^(\/api)?\/collections\/[^/]+$/
const batch = /^(\/api)?\/collections\/[^/]+\/(batch-delete|batch\/documents\/(delete|update))$/
const record = /^((\/api)?\/collections(\/[^/]+)?\/[^/]+\/[^/]+|\/storage\/file\/[^/]+|\/_svc\/api\/users\/[^/]+)$/
const state = /^\/_svc\/api\/projects\/[^/]+\/(reset|seeds|snapshots\/[^/]+\/load)$/

/** Tells whether a request deletes a collection, or deletes or changes several documents. */
export function destroysMany(method: string, path: string): boolean {
  const place = bare(path)
  return method === 'DELETE' ? collection.test(place) : method === 'POST' && batch.test(place)
}

/** Like `destroysMany`, and also true if it deletes one document, file or user, or replaces the data of the project. */
export function destroys(method: string, path: string): boolean {
  if (destroysMany(method, path)) return true
  const place = bare(path)
  return method === 'DELETE' ? record.test(place) : method === 'POST' && state.test(place)
}

function bare(path: string): string {
  const [place = ''] = path.split('?')
  return place.replace(/\/+$/, '')
}
