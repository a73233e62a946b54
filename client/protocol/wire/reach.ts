/** Tells what a service can do, by the dialect it is named after. The emulator can do everything in each of them. */
import type { BodyFormName } from './body/encode.js'
import { collection, create, segment } from './paths/encode.js'

interface Reach {
  /** Path to create a document. */
  readonly create: (collection: string) => string
  /** Path to change or delete a collection. */
  readonly collection: (name: string) => string
  /** Last segment of the path to create a batch. */
  readonly batch: string
  /** The `body` of batches and forms, where it differs from that of one document. */
  readonly body?: BodyFormName
  readonly replaces: 'PUT' | 'PATCH'
  /** Whether updates may contain `$append`, `$remove` and `$unset`. A service without them would store them as fields. */
  readonly hasOperators: boolean
  /** Whether lists can be filtered by id, so that the last id is the cursor of the next page. */
  readonly hasCursor: boolean
}

const whole: Reach = {
  create,
  collection,
  batch: '',
  replaces: 'PUT',
  hasOperators: true,
  hasCursor: true,
}

export const reaches: { readonly [Name in 'a' | 'b' | 'c' | 'd']: Reach } = {
  a: whole,
  b: whole,
  c: whole,
  d: {
    create: (name) => `/collections/documents?collection=${segment(name)}`,
    collection: create,
    batch: '/create',
    body: 'bare',
    replaces: 'PATCH',
    hasOperators: false,
    hasCursor: false,
  },
}
