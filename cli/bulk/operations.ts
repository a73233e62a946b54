/**
 * Lines that each say one write: `{"op": "update", "collection": "posts", "id": "…", "data": {…}}`. With `was`, it is carried out
 * only while the document still is so, and a delete also where it is gone; with `unless`, a document is created only while the one of that id is gone.
 */
import { isObject, type JsonObject } from '../../client/protocol/model/json.js'
import { type ImportSource, readRecords } from '../../seeds/records/input.js'

const kinds = ['create', 'update', 'replace', 'delete'] as const
export type OperationKind = (typeof kinds)[number]

export interface Operation {
  /** Of the input, from 1. */
  readonly line: number
  readonly kind: OperationKind
  readonly collection: string
  /** What a create has none of. */
  readonly id: string
  readonly data: JsonObject
  /** Of an update the fields that it changes, as they were; of a replacement or a deletion all of them. */
  readonly was?: JsonObject | undefined
  /** Of a create, the id of the document that it stands for: while that one is there, nothing is created. */
  readonly unless?: string | undefined
  /** Of its text. */
  readonly bytes: number
}

export interface BadLine {
  readonly line: number
  readonly problem: string
}

/** The operations of a file in its order, a handful at a time. A line that names no collection is about `collection`. */
export async function* readOperations(
  input: ImportSource,
  collection: string | undefined,
): AsyncGenerator<readonly (Operation | BadLine)[], void, undefined> {
  for await (const records of readRecords(input, { format: 'ndjson', types: new Map() })) {
    yield records.map((record) => {
      if (!('fields' in record)) return { line: record.line, problem: record.problem }
      const { line, fields, bytes } = record
      const read = readOperation({ collection, ...fields })
      return typeof read === 'string' ? { line, problem: read } : { ...read, line, bytes }
    })
  }
}

/** What it says or, as words, what is wrong with it. */
function readOperation(fields: { readonly [name: string]: unknown }): Omit<Operation, 'line' | 'bytes'> | string {
  const { op, collection, id = '', data = {}, was, unless, ...others } = fields
  const kind = kinds.find((each) => each === op)
  const [unknown] = Object.keys(others)
  if (!kind) return `"op" is ${op === undefined ? 'missing' : JSON.stringify(op)}; it takes ${kinds.join(', ')}`
  if (unknown !== undefined) return `"${unknown}" is not known; fields go into "data"`
  if (typeof collection !== 'string' || collection === '') return '"collection" is missing'
  if (typeof id !== 'string' || (kind === 'create') !== (id === '')) {
    return kind === 'create' ? '"id" is given by the service' : '"id" is missing'
  }
  if (!isObject(data) || (kind === 'delete' && Object.keys(data).length > 0)) {
    return kind === 'delete' ? 'a delete takes no "data"' : '"data" is not an object'
  }
  if (kind !== 'delete' && fields.data === undefined) return '"data" is missing'
  if (unless !== undefined) {
    if (kind !== 'create') return `a ${kind} takes no "unless"`
    if (typeof unless !== 'string' || unless === '') return '"unless" is not an id'
  }
  if (was === undefined) return { kind, collection, id, data, unless }
  if (kind === 'create') return 'a create takes no "was"'
  return isObject(was) ? { kind, collection, id, data, was } : '"was" is not an object'
}
