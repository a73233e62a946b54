/** The `paths` axis, and every address of the service as its clients write it. */

interface PathForm {
  /** Where a collection's documents are listed. */
  documents(collection: string): string
  /** Where one document is. */
  document(collection: string, id: string): string
  /** What `GET /collections/<name>` answers. */
  readonly collectionAnswers: 'documents' | 'record'
}

const e = encodeURIComponent

export const pathForms = {
  flat: {
    documents: (collection) => `/collections/${e(collection)}`,
    document: (collection, id) => `/collections/${e(collection)}/${e(id)}`,
    collectionAnswers: 'documents',
  },
  nested: {
    documents: (collection) => `/collections/${e(collection)}/documents`,
    document: (collection, id) => `/collections/${e(collection)}/documents/${e(id)}`,
    collectionAnswers: 'record',
  },
} as const satisfies Record<string, PathForm>

/** Addresses that are the same in every dialect. */
export const addresses = {
  collections: () => '/collections',
  /** Always the record, whatever the `paths` axis says. */
  collection: (name: string) => `/api/collections/${e(name)}`,
  upload: () => '/storage/upload',
  files: () => '/storage/list',
  file: (id: string) => `/storage/file/${e(id)}`,
  usage: () => '/storage/info',
  refresh: () => '/auth-collections/refresh',
  /** Where a document is created. */
  create: (collection: string) => `/collections/${e(collection)}`,
  batchCreate: (collection: string) => `/collections/${e(collection)}/batch/documents`,
  batchUpdate: (collection: string) => `/collections/${e(collection)}/batch/documents/update`,
  batchDelete: (collection: string) => `/collections/${e(collection)}/batch/documents/delete`,
  /** Where the changes of a collection are told as Server-Sent Events. */
  stream: (collection: string) => `/realtime/sse/${e(collection)}`,
}
