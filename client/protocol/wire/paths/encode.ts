/** The `paths` axis, and all paths of the service. */
import { SvcError } from '../../model/errors.js'
import { encodeText } from '../sendable.js'

/**
 * Encodes an id or a name as one path segment. Refuses values that would address the parent: without an id, deleting a
 * document would delete its collection. @throws {SvcError} `VALIDATION_ERROR`
 */
export function segment(name: string): string {
  // URLs drop the segments "." and "..".
  if (typeof name === 'string' && !/^\.{0,2}$/.test(name)) return encodeText(name)
  throw new SvcError('VALIDATION_ERROR', `"${String(name)}" is not a valid id or name.`)
}

/** Applies the same rule to an id or a name in a body. @throws {SvcError} `VALIDATION_ERROR` */
export function requireName(name: string): string {
  segment(name)
  return name
}

/** Path to create documents. */
export function create(collection: string): string {
  return `/collections/${segment(collection)}`
}

/** Paths to list documents. */
export const documentPaths = {
  flat: create,
  nested: (collection) => `${create(collection)}/documents`,
} as const satisfies { readonly [form: string]: (collection: string) => string }

interface Speaks {
  readonly paths: keyof typeof documentPaths
}

export function documents(dialect: Speaks, collection: string): string {
  return documentPaths[dialect.paths](collection)
}

/** Path to count, aggregate or group documents. */
export function query(collection: string, what: 'count' | 'aggregate' | 'group-by'): string {
  return `${create(collection)}/query/documents/${what}`
}

export function document(dialect: Speaks, collection: string, id: string): string {
  return `${documents(dialect, collection)}/${segment(id)}`
}

export const collections = '/collections'

/** Path of the collection itself, independent of the `paths` axis. */
export function collection(name: string): string {
  return `/api${create(name)}`
}

export const upload = '/storage/upload'
export const files = '/storage/list'
export const usage = '/storage/info'

export const users = '/auth-collections/users'
export const refresh = '/auth-collections/refresh'
