/** The `paths` axis, and every address of the service as its clients write it. */
import { SvcError } from '../model/errors.js'
import type { Dialect, Form } from './dialect.js'

/**
 * A name as a part of an address. What is empty or only dots would name what stands above it: the delete of a
 * document without an id would be that of its collection. @throws {SvcError} `NOT_FOUND`
 */
export function segment(name: string): string {
  if (/^\.{0,2}$/.test(name)) throw new SvcError('NOT_FOUND', `Nothing has the name "${name}".`)
  return encodeURIComponent(name)
}

const e = segment

/** Where a collection's documents are listed. */
const documentPaths = {
  flat: (collection) => `/collections/${e(collection)}`,
  nested: (collection) => `/collections/${e(collection)}/documents`,
} as const satisfies Record<Form<'paths'>, (collection: string) => string>

export const addresses = {
  documents: ({ paths }: Dialect, collection: string) => documentPaths[paths](collection),
  document: ({ paths }: Dialect, collection: string, id: string) => `${documentPaths[paths](collection)}/${e(id)}`,
  collections: '/collections',
  /** Always the record, whatever the `paths` axis says. */
  collection: (name: string) => `/api/collections/${e(name)}`,
  upload: '/storage/upload',
  files: '/storage/list',
  file: (id: string) => `/storage/file/${e(id)}`,
  usage: '/storage/info',
  refresh: '/auth-collections/refresh',
  /** Where a document is created. */
  create: documentPaths.flat,
  /** Creates, or what is named. */
  batch: (collection: string, what: string) => `/collections/${e(collection)}/batch/documents${what}`,
  /** Where the changes of a collection are told as Server-Sent Events. */
  stream: (collection: string) => `/realtime/sse/${e(collection)}`,
}
