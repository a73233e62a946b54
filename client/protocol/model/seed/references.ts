/** Resolves references in a seed, such as `${authors.ada.id}`, to values of earlier records. */
import { isObject, type Json, type JsonObject, setOwn } from '../json.js'

/** A parsed reference: collection, `users` or `files`, name of the record, and path of the value. */
export interface Reference {
  readonly text: string
  /** Collection, such as `posts`. `users` and `files` mean these parts of the seed or, without them, collections. */
  readonly collection: string
  readonly document: string
  readonly path: readonly string[]
}

const parts = ['users', 'files']
const prefix = 'collection:'

/** Returns the name of a collection in references. `collection:users` distinguishes a collection from the users of the seed. */
export function referenceName(collection: string): string {
  return parts.includes(collection) ? prefix + collection : collection
}

const reference = /\$\{((?:collection:)?[A-Za-z][\w-]*)\.([^.{}]+)\.([^{}]+)\}/g

/** Finds all references in a value, at any depth. */
export function referencesIn(value: Json): Reference[] {
  if (typeof value === 'string') return [...value.matchAll(reference)].map(readMatch)
  if (Array.isArray(value)) return value.flatMap(referencesIn)
  return isObject(value) ? Object.values(value).flatMap(referencesIn) : []
}

/** Replaces references in a value. A text that is only a reference keeps the type of the referenced value. */
export function resolveReferences(value: Json, lookUp: (reference: Reference) => Json): Json {
  if (typeof value === 'string') return resolveText(value, lookUp)
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, lookUp))
  if (!isObject(value)) return value
  const resolved: JsonObject = {}
  for (const [name, member] of Object.entries(value)) setOwn(resolved, name, resolveReferences(member, lookUp))
  return resolved
}

function resolveText(text: string, lookUp: (reference: Reference) => Json): Json {
  const [first] = [...text.matchAll(reference)].map(readMatch)
  if (!first) return text
  if (first.text === text) return lookUp(first)
  return text.replace(reference, (...match) => {
    const value = lookUp(readMatch(match))
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}

function readMatch([text = '', collection = '', document = '', path = '']: readonly string[]): Reference {
  const name = collection.startsWith(prefix) ? referenceName(collection.slice(prefix.length)) : collection
  return { text, collection: name, document, path: path.split('.') }
}
