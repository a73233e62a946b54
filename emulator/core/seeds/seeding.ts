/** What is known while a seed is applied. */
import type { StoredCollection } from '../../../client/protocol/model/collection.js'
import type { Fields } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Json, JsonObject } from '../../../client/protocol/model/json.js'
import { valueAt } from '../../../client/protocol/model/path.js'
import { type Reference, referenceName, resolveReferences } from '../../../client/protocol/model/seed/references.js'
import type { SeedCounts, SeedMode } from '../../../client/protocol/model/seed/steps.js'
import type { Context } from '../context.js'
import type { Upload } from '../files/uploads.js'

/** What references to a record may read. */
export type Referable = JsonObject

export type Counted = { -readonly [Name in keyof SeedCounts]: number }

/** The collection whose documents come. */
export interface OpenCollection {
  readonly collection: StoredCollection
  readonly key: string | undefined
  /** Whether a document that is there may have the key as another type. */
  readonly isKeyGuessed: boolean
  readonly counts: Counted
  /** Whether documents are written: not where it held some, and is to be left alone. */
  readonly isWritten: boolean
  /** Whether it held documents. */
  readonly hadDocuments: boolean
  /** Ids by the values of the key as JSON, read when the first document asks. */
  byKey: Map<string, string> | undefined
  /** Undefined where they were not asked for. */
  readonly ids: [string, string][] | undefined
  /** Adds the schema's defaults to what a seed says of a document. */
  complete(fields: Fields): Fields
}

export interface Seeding {
  readonly ctx: Context
  readonly mode: SeedMode
  /** Hashes of passwords, by the number of the step. */
  readonly hashes: ReadonlyMap<number, string>
  /** The files of the form, by their parts. */
  readonly uploads: ReadonlyMap<string, Upload>
  /** What can be referred to: by `users`, `files` or the reference name of a collection, and by its own name. */
  readonly known: Map<string, Map<string, Referable>>
  /** Ids of documents that others refer to before they come, by the reference name of the collection and their own. */
  readonly promised: Map<string, string>
  /** Owned files, which get their row with their owner. */
  readonly owned: Map<string, Upload>
  readonly users: Counted
  readonly files: Counted
  readonly collections: OpenCollection[]
}

export function noCounts(): Counted {
  return { created: 0, updated: 0, kept: 0 }
}

export function remember({ known }: Seeding, kind: string, name: string, value: Referable): void {
  const names = known.get(kind) ?? new Map<string, Referable>()
  known.set(kind, names.set(name, value))
}

/**
 * The value with what its references name in their place.
 *
 * @param own the owned files of this record, which win over all others
 * @throws {SvcError} `VALIDATION_ERROR` where one leads nowhere
 */
export function resolved(
  seeding: Seeding,
  name: string,
  fields: JsonObject,
  own: ReadonlyMap<string, Referable> = new Map(),
): JsonObject {
  const { known } = seeding
  const lookUp = (reference: Reference): Json => {
    const { collection, document, path, text } = reference
    // Users and files come before all documents: where none came, the collection of that name is meant.
    const kind = known.has(collection) ? collection : referenceName(collection)
    const record = (collection === 'files' && own.get(document)) || known.get(kind)?.get(document)
    if (!record && isOfDocument(kind) && path.join() === 'id') return promise(seeding, kind, document)
    if (!record) throw badReference(name, text, `and there is no such ${nouns[kind] ?? 'document'}`)
    const value = valueAt(record, path)
    if (value === undefined) throw badReference(name, text, 'which has no such field')
    return value
  }
  return resolveReferences(fields, lookUp) as JsonObject
}

function isOfDocument(kind: string): boolean {
  return !Object.hasOwn(nouns, kind)
}

/** The id that a document will have: the sender has seen that it comes. */
function promise({ ctx, promised }: Seeding, kind: string, name: string): string {
  const key = `${kind}.${name}`
  const id = promised.get(key) ?? ctx.backend.newId(ctx.backend.now(ctx.project.id))
  promised.set(key, id)
  return id
}

/**
 * The id that was promised of a document; nothing where none was.
 *
 * @throws {SvcError} `VALIDATION_ERROR` where the document is there already, under another id
 */
export function keepPromise(
  { promised }: Seeding,
  { collection, name, there }: { collection: string; name: string; there: string | undefined },
): string | undefined {
  const key = `${referenceName(collection)}.${name}`
  const id = promised.get(key)
  promised.delete(key)
  if (id === undefined || there === undefined || id === there) return id
  throw badReference(name, `\${${key}.id}`, 'which is there already; seed both with --replace')
}

/** @throws {SvcError} `VALIDATION_ERROR` for a document that others refer to, and that has not come */
export function requireKept({ promised }: Seeding): void {
  const [key] = promised.keys()
  if (key !== undefined) throw badReference('The seed', `\${${key}.id}`, 'and there is no such document')
}

const nouns: { readonly [kind: string]: string } = { users: 'user', files: 'file' }

function badReference(name: string, text: string, problem: string): SvcError {
  const message = `"${name}" refers to ${text}, ${problem}`
  return new SvcError('VALIDATION_ERROR', `${message}.`, [{ path: [], message, type: 'reference' }])
}
