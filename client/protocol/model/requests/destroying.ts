/** Requests that destroy as much as the commands and pages that save a snapshot before. Contract 12.6. */

const collection = /^(\/api)?\/collections\/[^/]+$/
const batch = /^(\/api)?\/collections\/[^/]+\/(batch-delete|batch\/documents\/(delete|update))$/
const record = /^((\/api)?\/collections(\/[^/]+)?\/[^/]+\/[^/]+|\/storage\/file\/[^/]+|\/_svc\/api\/users\/[^/]+)$/
const state = /^\/_svc\/api\/projects\/[^/]+\/(reset|seeds|snapshots\/[^/]+\/load)$/

/** Whether a request takes away a collection, or takes away or changes several documents at once. */
export function destroysMany(method: string, path: string): boolean {
  const place = bare(path)
  return method === 'DELETE' ? collection.test(place) : method === 'POST' && batch.test(place)
}

/** The same, or takes away a single document, file or user, or takes the place of what the project holds. */
export function destroys(method: string, path: string): boolean {
  if (destroysMany(method, path)) return true
  const place = bare(path)
  return method === 'DELETE' ? record.test(place) : method === 'POST' && state.test(place)
}

function bare(path: string): string {
  const [place = ''] = path.split('?')
  return place.replace(/\/+$/, '')
}
