/** `${authors.ada.id}` in a seed: a value of a record that is there by then. */
import { isObject, type Json, type JsonObject, setOwn } from '../json.js'

/** What a reference names: a collection, `users` or `files`, one of it, and the way to the value. */
export interface Reference {
  readonly text: string
  /** `posts`; `users` and `files` are these parts of the seed, or collections of that name where it has no such part. */
  readonly collection: string
  readonly document: string
  readonly path: readonly string[]
}

const parts = ['users', 'files']
const prefix = 'collection:'

/** What references call a collection, whatever parts the seed has: `collection:users` is no user of the seed. */
export function referenceName(collection: string): string {
  return parts.includes(collection) ? prefix + collection : collection
}

const reference = /\$\{((?:collection:)?[A-Za-z][\w-]*)\.([^.{}]+)\.([^{}]+)\}/g

/** All references in a value, wherever they stand in it. */
export function referencesIn(value: Json): Reference[] {
  if (typeof value === 'string') return [...value.matchAll(reference)].map(readMatch)
  if (Array.isArray(value)) return value.flatMap(referencesIn)
  return isObject(value) ? Object.values(value).flatMap(referencesIn) : []
}

/** The value with what the references name in their place: whole where they stand alone, else as text. */
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
