/** The `paths` axis, and every address of the service as its clients write it. */
import { SvcError } from '../../model/errors.js'
import { encodeText } from '../sendable.js'

/**
 * A name as a part of an address. What is empty or only dots would name what stands above it: the delete of a
 * document without an id would be that of its collection. @throws {SvcError} `NOT_FOUND`
 */
export function segment(name: string): string {
  if (/^\.{0,2}$/.test(name)) throw new SvcError('NOT_FOUND', `There is no "${name}".`)
  return encodeText(name)
}

/** Where a document is created. */
export function create(collection: string): string {
  return `/collections/${segment(collection)}`
}

/** Where a collection's documents are listed. */
export const documentPaths = {
  flat: create,
  nested: (collection) => `${create(collection)}/documents`,
} as const satisfies { readonly [form: string]: (collection: string) => string }

interface Speaks {
  readonly paths: keyof typeof documentPaths
}

export function documents({ paths }: Speaks, collection: string): string {
  return documentPaths[paths](collection)
}

export function document(dialect: Speaks, collection: string, id: string): string {
  return `${documents(dialect, collection)}/${segment(id)}`
}

/** Where many are created or, with `/update` or `/delete` behind it, changed or deleted. */
export function batch(collection: string, what: string): string {
  return `${create(collection)}/batch/documents${what}`
}

export const collections = '/collections'

/** Always the record, whatever the `paths` axis says. */
export function collection(name: string): string {
  return `/api${create(name)}`
}

export const upload = '/storage/upload'
export const files = '/storage/list'
export const usage = '/storage/info'

export function file(id: string): string {
  return `/storage/file/${segment(id)}`
}

/** Where the changes of a collection come as server-sent events. */
export function stream(collection: string): string {
  return `/realtime/sse/${segment(collection)}`
}

export const refresh = '/auth-collections/refresh'
