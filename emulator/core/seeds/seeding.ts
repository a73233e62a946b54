/** Holds the state of a seed while it is applied. */
import type { StoredCollection } from '../../../client/protocol/model/collection.js'
import type { Fields } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Json, JsonObject } from '../../../client/protocol/model/json.js'
import { valueAt } from '../../../client/protocol/model/path.js'
import { type Reference, referenceName, resolveReferences } from '../../../client/protocol/model/seed/references.js'
import type { SeedCounts, SeedMode } from '../../../client/protocol/model/seed/steps.js'
import type { Context } from '../context.js'
import type { Upload } from '../files/uploads.js'

/** Fields of a record that references can read. */
export type Referable = JsonObject

export type Counted = { -readonly [Name in keyof SeedCounts]: number }

/** The collection that documents are currently written to. */
export interface OpenCollection {
  readonly collection: StoredCollection
  readonly key: string | undefined
  /** Whether existing documents may store the key as another type. */
  readonly isKeyGuessed: boolean
  readonly counts: Counted
  /** Whether to write documents. False for a collection that had documents and must stay unchanged. */
  readonly isWritten: boolean
  /** Whether it had documents before. */
  readonly hadDocuments: boolean
  /** Ids by the key's value as JSON, loaded for the first document. */
  byKey: Map<string, string> | undefined
  /** Undefined unless ids were requested. */
  readonly ids: [string, string][] | undefined
  /** Adds the schema's defaults to a document. */
  complete(fields: Fields): Fields
}

export interface Seeding {
  readonly ctx: Context
  readonly mode: SeedMode
  /** Password hashes by step number. */
  readonly hashes: ReadonlyMap<number, string>
  /** Files of the form, by part name. */
  readonly uploads: ReadonlyMap<string, Upload>
  /** Records that references can reach: by `users`, `files` or the collection's reference name, then by name. */
  readonly known: Map<string, Map<string, Referable>>
  /** Ids of documents that are referenced before they are written, by reference name and document name. */
  readonly promised: Map<string, string>
  /** Owned files, stored together with their owner. */
  readonly owned: Map<string, Upload>
  /** Check the links of written documents. They run last, because documents may link to later ones. */
  readonly linkChecks: (() => Promise<void>)[]
  readonly users: Counted
  readonly files: Counted
  readonly collections: OpenCollection[]
  /** Collections that were created because a link leads there, before their own step. */
  readonly linked: Set<string>
  /** Reads the names of all collections of the seed. */
  readonly readNames: () => Promise<ReadonlySet<string>>
}

export function noCounts(): Counted {
  return { created: 0, updated: 0, kept: 0 }
}

export function remember({ known }: Seeding, kind: string, name: string, value: Referable): void {
  const names = known.get(kind) ?? new Map<string, Referable>()
  known.set(kind, names.set(name, value))
}

/**
 * Replaces the references in a value with the values that they name.
 *
 * @param own the record's owned files, which win over all others
 * @throws {SvcError} `VALIDATION_ERROR` for a reference that leads nowhere
 */
export function resolve(
  seeding: Seeding,
  name: string,
  fields: JsonObject,
  own: ReadonlyMap<string, Referable> = new Map(),
): JsonObject {
  const { known } = seeding
  const lookUp = (reference: Reference): Json => {
    const { collection, document, path, text } = reference
    // Users and files come before all documents. If the seed has none, the name means a collection.
    const kind = known.has(collection) ? collection : referenceName(collection)
    const record = (collection === 'files' && own.get(document)) || known.get(kind)?.get(document)
    if (!record && isOfDocument(kind) && path.join() === 'id') return promise(seeding, kind, document)
    if (!record) throw badReference(name, text, `but that ${nouns[kind] ?? 'document'} does not exist`)
    const value = valueAt(record, path)
    if (value === undefined) throw badReference(name, text, 'but that field does not exist')
    return value
  }
  return resolveReferences(fields, lookUp) as JsonObject
}

function isOfDocument(kind: string): boolean {
  return !Object.hasOwn(nouns, kind)
}

/** Assigns an id in advance. The sender has checked that the document follows. */
function promise({ ctx, promised }: Seeding, kind: string, name: string): string {
  const key = `${kind}.${name}`
  const id = promised.get(key) ?? ctx.backend.newId(ctx.backend.now(ctx.project.id))
  promised.set(key, id)
  return id
}

/**
 * Returns the id that was promised for a document, if any.
 *
 * @throws {SvcError} `VALIDATION_ERROR` if the document already exists under another id
 */
export function keepPromise(
  { promised }: Seeding,
  { collection, name, there }: { collection: string; name: string; there: string | undefined },
): string | undefined {
  const key = `${referenceName(collection)}.${name}`
  const id = promised.get(key)
  promised.delete(key)
  if (id === undefined || there === undefined || id === there) return id
  throw badReference(name, `\${${key}.id}`, 'which already exists. Seed both with --replace')
}

/** @throws {SvcError} `VALIDATION_ERROR` for a referenced document that never came */
export function requireKept({ promised }: Seeding): void {
  const [key] = promised.keys()
  if (key !== undefined) throw badReference('The seed', `\${${key}.id}`, 'but that document does not exist')
}

const nouns: { readonly [kind: string]: string } = { users: 'user', files: 'file' }

function badReference(name: string, text: string, problem: string): SvcError {
  const message = `"${name}" refers to ${text}, ${problem}`
  return new SvcError('VALIDATION_ERROR', `${message}.`, [{ path: [], message, type: 'reference' }])
}
