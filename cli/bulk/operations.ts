/**
 * Reads operations, one write per line: `{"op": "update", "collection": "posts", "id": "…", "data": {…}}`. With `was`,
 * a write applies only while the document has that data (a delete also if the document is gone). With `unless`, a
 * create applies only if no document has that id.
 */
import { isObject, type JsonObject } from '../../client/protocol/model/json.js'
import { type ImportSource, readRecords } from '../../seeds/records/input.js'

const kinds = ['create', 'update', 'replace', 'delete'] as const
export type OperationKind = (typeof kinds)[number]

export interface Operation {
  /** Line in the input, from 1. */
  readonly line: number
  readonly kind: OperationKind
  readonly collection: string
  /** Empty for a create. */
  readonly id: string
  readonly data: JsonObject
  /** For an update, the previous values of the changed fields. For a replace or delete, all previous fields. */
  readonly was?: JsonObject | undefined
  /** For a create, the id of the original document. Creates nothing while that document exists. */
  readonly unless?: string | undefined
  /** Size of the line. */
  readonly bytes: number
}

export interface BadLine {
  readonly line: number
  readonly problem: string
}

/** Reads operations in order, in small batches. Lines without a collection use `collection`. */
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

/** Returns the operation, or a description of the problem. */
function readOperation(fields: { readonly [name: string]: unknown }): Omit<Operation, 'line' | 'bytes'> | string {
  const { op, collection, id = '', data = {}, was, unless, ...others } = fields
  const kind = kinds.find((each) => each === op)
  const [unknown] = Object.keys(others)
  if (!kind) return `"op" is ${op === undefined ? 'missing' : JSON.stringify(op)}; it takes ${kinds.join(', ')}`
  if (unknown !== undefined) return `"${unknown}" is not known; fields go into "data"`
  if (typeof collection !== 'string' || collection === '') return '"collection" is missing'
  if (!isIdFor(kind, id)) return kind === 'create' ? '"id" is given by the service' : '"id" is missing'
  if (!isDataFor(kind, data)) return kind === 'delete' ? 'a delete takes no "data"' : '"data" is not an object'
  if (kind !== 'delete' && fields.data === undefined) return '"data" is missing'
  const condition = readCondition(kind, was, unless)
  return typeof condition === 'string' ? condition : { kind, collection, id, data, ...condition }
}

function isIdFor(kind: OperationKind, id: unknown): id is string {
  return typeof id === 'string' && (kind === 'create') === (id === '')
}

function isDataFor(kind: OperationKind, data: unknown): data is JsonObject {
  return isObject(data) && (kind !== 'delete' || Object.keys(data).length === 0)
}

/** Returns the state in which the operation applies, or a description of the problem. */
function readCondition(kind: OperationKind, was: unknown, unless: unknown): Pick<Operation, 'was' | 'unless'> | string {
  if (unless !== undefined && kind !== 'create') return `a ${kind} takes no "unless"`
  if (unless !== undefined && (typeof unless !== 'string' || unless === '')) return '"unless" is not an id'
  if (was === undefined) return { unless }
  if (kind === 'create') return 'a create takes no "was"'
  return isObject(was) ? { was } : '"was" is not an object'
}
