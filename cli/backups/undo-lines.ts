/** Writes the operations that undo a bulk write, document by document. */
import { mergeFields, splitOperators } from '../../client/protocol/model/document.js'
import type { JsonObject } from '../../client/protocol/model/json.js'
import type { ImportSource } from '../../seeds/records/input.js'
import { undefinedIfMissing } from '../base/failure.js'
import type { Client } from '../base/target-command.js'
import { type BadLine, type Operation, readOperations } from '../bulk/operations.js'
import { documentsOf } from '../bulk/read-back.js'
import { planOperation, planUndo, type Undo } from '../sync/operations.js'

interface SavedDocument {
  readonly id: string
  readonly data: JsonObject
}

/** Recreates deleted documents, each only while the original is gone. */
export async function* undoOfDeletion(
  collection: string,
  documents: AsyncIterable<SavedDocument>,
): AsyncGenerator<Undo> {
  for await (const { id, data } of documents) yield { op: 'create', collection, data, unless: id }
}

/** Restores the fields that an update changes, each only while the update's value is still there. */
export async function* undoOfUpdate(
  collection: string,
  documents: AsyncIterable<SavedDocument>,
  changes: JsonObject,
): AsyncGenerator<Undo> {
  for await (const { id, data } of documents) yield undoOfChange({ collection, id }, data, changed(data, changes))
}

/** Undoes the operations of a file, starting at operation number `from`. Created documents stay. */
export async function* undoOfOperations(
  client: Client,
  input: ImportSource,
  collection: string | undefined,
  from: number,
): AsyncGenerator<Undo> {
  const repeated = await findRepeated(input, collection)
  const states = new Map<string, State>()
  let at = 0
  for await (const handful of readOperations(input, collection)) {
    const operations = handful.filter((read): read is Operation => !isBad(read) && at++ >= from)
    for await (const { operation, found } of withDocuments(client, operations)) {
      const state = stateAfter(operation, states.get(operation.id), found)
      if (!state) continue
      if (repeated.has(operation.id)) states.set(operation.id, state)
      else yield undoOfState(state)
    }
  }
  for (const state of states.values()) yield undoOfState(state)
}

/** Yields the operations on existing documents, each with its document as it is now. */
async function* withDocuments(client: Client, operations: readonly Operation[]) {
  const changing = operations.filter(({ kind }) => kind !== 'create')
  for (const name of new Set(changing.map(({ collection }) => collection))) {
    const some = changing.filter((operation) => operation.collection === name)
    const ids = some.map(({ id }) => id)
    const found = new Map<string, JsonObject>()
    for await (const { id, data } of existingDocuments(client.collection(name), ids)) found.set(id, data)
    for (const operation of some) yield { operation, found: found.get(operation.id) }
  }
}

/**
 * Yields the documents that exist. Looks up each one the list does not show, because a service may interpret the
 * filter differently.
 */
export async function* existingDocuments(
  collection: ReturnType<Client['collection']>,
  ids: readonly string[],
): AsyncGenerator<SavedDocument> {
  const missing = new Set(ids)
  for await (const document of documentsOf(collection, [...missing])) {
    if (missing.delete(document.id)) yield document
  }
  for (const id of missing) {
    const document = await collection.get(id).catch(undefinedIfMissing)
    if (document) yield document
  }
}

/** A document before its first operation and after its last. */
interface State {
  readonly last: Operation
  readonly before: JsonObject
  /** Undefined once the document is deleted. */
  readonly after: JsonObject | undefined
}

/**
 * Undefined if the service refuses the operation, because the document is missing or does not fit its type. Then there
 * is nothing to undo.
 */
function stateAfter(operation: Operation, state: State | undefined, found: JsonObject | undefined): State | undefined {
  const before = state ? state.after : found
  const result = before && applied(operation, before)
  return result && { last: operation, before: state?.before ?? before, after: result.after }
}

function undoOfState({ last, before, after }: State): Undo {
  return after === undefined ? planUndo({ ...last, kind: 'delete' }, before) : undoOfChange(last, before, after)
}

/** The document after an operation, without `after` if it is deleted. Undefined if the service refuses the operation. */
function applied({ kind, data }: Operation, before: JsonObject): { after: JsonObject | undefined } | undefined {
  if (kind === 'delete') return { after: undefined }
  if (kind === 'replace') return { after: data }
  try {
    return { after: changed(before, data) }
  } catch {
    return undefined
  }
}

/** Finds ids that several operations name. Keeps only the ids in memory. */
async function findRepeated(input: ImportSource, collection: string | undefined): Promise<ReadonlySet<string>> {
  const once = new Set<string>()
  const repeated = new Set<string>()
  for await (const handful of readOperations(input, collection)) {
    for (const read of handful) {
      if (isBad(read) || read.id === '') continue
      if (once.has(read.id)) repeated.add(read.id)
      else once.add(read.id)
    }
  }
  return repeated
}

function isBad(read: Operation | BadLine): read is BadLine {
  return 'problem' in read
}

function changed(before: JsonObject, changes: JsonObject): JsonObject {
  const { operators, rest } = splitOperators(changes)
  return mergeFields(before, { fields: rest, ...operators })
}

/** Writes a line even if nothing changes, because the document is still written. */
function undoOfChange(
  { collection, id }: Pick<Operation, 'collection' | 'id'>,
  before: JsonObject,
  after: JsonObject,
): Undo {
  const undo = planOperation({ collection, id, line: 0 }, after, before)
  if (!undo) return { op: 'update', collection, id, data: {}, was: {} }
  return { op: undo.kind === 'replace' ? 'replace' : 'update', collection, id, data: undo.data, was: undo.was ?? after }
}
