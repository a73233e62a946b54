/**
 * Finds stored documents that violate their collection's schema. Schemas apply only to writes, so older documents may
 * differ.
 */
import type { Collection, Document } from '../../client/index.js'
import { fieldTypes } from '../../client/protocol/model/collection.js'
import { checkFields } from '../../client/protocol/model/schema.js'

/** A violation and the number of documents that have it. */
export interface Drift {
  readonly field: string
  readonly problem: string
  /** Same as `issues[].type` of a refused write. */
  readonly type: string
  readonly documents: number
  /** Ids of a few of them. */
  readonly examples: readonly string[]
}

export interface CheckedCollection {
  readonly name: string
  readonly documents: number
  /** Number of documents with a violation. */
  readonly refused: number
  readonly issues: readonly Drift[]
}

const maxExamples = 3

/**
 * Reads every document.
 *
 * @throws {SvcError} `FORBIDDEN`, `UNAUTHORIZED` if the caller cannot read them
 */
export async function checkDocuments(
  documents: AsyncIterable<Pick<Document, 'id' | 'data'>>,
  { name, schema }: Pick<Collection, 'name' | 'schema'>,
  onRead: (documents: number) => void,
): Promise<CheckedCollection> {
  // A hosted service may have types that this version does not know.
  const rules = Object.fromEntries(Object.entries(schema).filter(([, { type }]) => fieldTypes.includes(type)))
  const issues = new Map<string, Drift>()
  let read = 0
  let refused = 0
  for await (const { id, data } of documents) {
    read++
    const found = checkFields(rules, data)
    if (found.length > 0) refused++
    const counted = new Set<string>()
    for (const { path, message, type } of found) {
      const field = path.filter((step) => typeof step === 'string').join('.')
      // Counts the items of an array as one problem.
      const key = JSON.stringify([field, type])
      if (counted.has(key)) continue
      counted.add(key)
      const known = issues.get(key)
      const { documents: before = 0, examples = [] } = known ?? {}
      const some = examples.length < maxExamples ? [...examples, id] : examples
      issues.set(key, { field, problem: known?.problem ?? message, type, documents: before + 1, examples: some })
    }
    if (read % 100 === 0) onRead(read)
  }
  const all = [...issues.values()].sort((one, other) => other.documents - one.documents)
  return { name, documents: read, refused, issues: all }
}
