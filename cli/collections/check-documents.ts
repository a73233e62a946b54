/** Stored documents that the schema of their collection would refuse: it holds for writes only, so older ones may differ. */
import type { Client, Collection } from '../../client/index.js'
import { fieldTypes } from '../../client/protocol/model/collection.js'
import { checkFields } from '../../client/protocol/model/schema.js'

/** One thing that is wrong, and in how many documents. */
export interface Drift {
  readonly field: string
  readonly problem: string
  /** As in `issues[].type` of a refused write. */
  readonly type: string
  readonly documents: number
  /** Ids of some of them. */
  readonly examples: readonly string[]
}

export interface CheckedCollection {
  readonly name: string
  readonly documents: number
  /** Documents with which something is wrong. */
  readonly refused: number
  readonly issues: readonly Drift[]
}

const maxExamples = 3

/** Reads every document. @throws {SvcError} `FORBIDDEN`, `UNAUTHORIZED` where they may not be read */
export async function checkDocuments(
  client: Client,
  { name, schema }: Pick<Collection, 'name' | 'schema'>,
  onRead: (documents: number) => void,
): Promise<CheckedCollection> {
  // A hosted service may know types that this version does not.
  const rules = Object.fromEntries(Object.entries(schema).filter(([, { type }]) => fieldTypes.includes(type)))
  const issues = new Map<string, Drift>()
  let documents = 0
  let refused = 0
  for await (const { id, data } of client.collection(name).iterate()) {
    documents++
    const found = checkFields(rules, data)
    if (found.length > 0) refused++
    for (const { path, message, type } of found) {
      const field = String(path.at(-1) ?? '')
      const known = issues.get(message)
      const { documents: before = 0, examples = [] } = known ?? {}
      const some = examples.length < maxExamples ? [...examples, id] : examples
      issues.set(message, { field, problem: message, type, documents: before + 1, examples: some })
    }
    if (documents % 100 === 0) onRead(documents)
  }
  const all = [...issues.values()].sort((one, other) => other.documents - one.documents)
  return { name, documents, refused, issues: all }
}
