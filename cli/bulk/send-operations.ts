/** Carries out operations of several collections, each batch of them all or none, and says which lines were refused. */
import { type Issue, SvcError } from '../../client/protocol/model/errors.js'
import { sizes } from '../../client/protocol/model/limits.js'
import type { Client } from '../base/target-command.js'
import type { BadLine, Operation, OperationKind } from './operations.js'

type Collection = ReturnType<Client['collection']>

export interface Carried {
  readonly accepted: { readonly [Kind in OperationKind]: number }
  readonly refused: readonly BadLine[]
}

export interface SendOptions {
  readonly client: Client
  /** Part of every idempotency key: what is sent twice is created once. */
  readonly id: string
  /** Whether they may have been carried out before: what is deleted already counts as such. */
  readonly isRepeated: boolean
}

const mostOperations = 3 * sizes.mostBatchItems
// Room for what the service's forms put around each.
const mostBytes = sizes.mostBodyBytes * 0.7

/** Gathers operations in their order, until there are many, or one is about a document that another is about already. */
export function gatherOperations() {
  let operations: Operation[] = []
  let ids = new Set<string>()
  let bytes = 0
  return {
    isFullFor: (operation: Operation) =>
      operations.length >= mostOperations ||
      (operations.length > 0 && bytes + operation.bytes > mostBytes) ||
      (operation.id !== '' && ids.has(operation.id)),
    add(operation: Operation) {
      operations.push(operation)
      if (operation.id !== '') ids.add(operation.id)
      bytes += operation.bytes
    },
    take(): readonly Operation[] {
      const taken = operations
      operations = []
      ids = new Set()
      bytes = 0
      return taken
    },
  }
}

/** Sends operations that are about different documents: a batch for each collection and kind, all at once. */
export async function sendOperations(operations: readonly Operation[], options: SendOptions): Promise<Carried> {
  const groups = new Map<string, Operation[]>()
  for (const operation of operations) {
    const name = `${operation.kind} ${operation.collection}`
    const group = groups.get(name)
    if (group) group.push(operation)
    else groups.set(name, [operation])
  }
  const batches = [...groups.values()].flatMap(inBatches)
  const carried = await Promise.all(batches.map((batch) => sendBatch(batch, options)))
  const accepted = { create: 0, update: 0, delete: 0 }
  for (const [at, { accepted: count }] of carried.entries()) {
    const kind = batches[at]?.[0]?.kind
    if (kind) accepted[kind] += count
  }
  return { accepted, refused: carried.flatMap(({ refused }) => refused) }
}

function inBatches(operations: readonly Operation[]): Operation[][] {
  const count = Math.ceil(operations.length / sizes.mostBatchItems)
  return Array.from({ length: count }, (_, at) =>
    operations.slice(at * sizes.mostBatchItems, (at + 1) * sizes.mostBatchItems),
  )
}

interface SentBatch {
  readonly accepted: number
  readonly refused: readonly BadLine[]
}

/** One that is refused keeps no other out: those that the answer names are left out, else the batch is halved. */
async function sendBatch(batch: readonly Operation[], options: SendOptions): Promise<SentBatch> {
  const [first] = batch
  if (!first) return { accepted: 0, refused: [] }
  try {
    await send[first.kind](options.client.collection(first.collection), batch, options)
    return { accepted: batch.length, refused: [] }
  } catch (error) {
    if (!(error instanceof SvcError) || !isAboutSome(error)) throw error
    if (batch.length === 1) {
      const isDone = options.isRepeated && first.kind === 'delete' && error.code === 'NOT_FOUND'
      return isDone
        ? { accepted: 1, refused: [] }
        : { accepted: 0, refused: [{ line: first.line, problem: wordsOf(error) }] }
    }
    const named = namedIn(error, batch)
    if (named.size === 0) {
      const middle = Math.ceil(batch.length / 2)
      return both(await sendBatch(batch.slice(0, middle), options), await sendBatch(batch.slice(middle), options))
    }
    const refused = [...named].map(([{ line }, problem]) => ({ line, problem }))
    const others = batch.filter((operation) => !named.has(operation))
    return both({ accepted: 0, refused }, await sendBatch(others, options))
  }
}

const send: {
  readonly [Kind in OperationKind]: (
    collection: Collection,
    batch: readonly Operation[],
    options: SendOptions,
  ) => Promise<unknown>
} = {
  create(collection, batch, { id }) {
    const idempotencyKey = `${id}-${batch[0]?.line}-${batch.at(-1)?.line}-${batch.length}`
    const fields = batch.map(({ data }) => data)
    return collection.createMany(fields, { idempotencyKey, returning: false })
  },
  update(collection, batch) {
    const changes = Object.fromEntries(batch.map(({ id, data }) => [id, data]))
    return collection.updateMany(changes, { returning: false })
  },
  delete: (collection, batch) => collection.deleteMany(batch.map(({ id }) => id)),
}

function both(one: SentBatch, other: SentBatch): SentBatch {
  return { accepted: one.accepted + other.accepted, refused: [...one.refused, ...other.refused] }
}

/** Failures that a single operation can cause; all others concern the whole work. */
function isAboutSome({ code }: SvcError): boolean {
  return ['VALIDATION_ERROR', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'RESULT_TOO_LARGE', 'INVALID_BODY'].includes(code)
}

/** The operations that all issues name, by their index or the id of their document; none where an issue names none. */
function namedIn({ issues }: SvcError, batch: readonly Operation[]): Map<Operation, string> {
  const named = new Map<Operation, string>()
  for (const { path, message } of issues) {
    const operation = operationAt(path, batch)
    if (!operation) return new Map()
    const before = named.get(operation)
    named.set(operation, before === undefined ? message : `${before}; ${message}`)
  }
  return named
}

function operationAt([at]: Issue['path'], batch: readonly Operation[]): Operation | undefined {
  return typeof at === 'number' ? batch[at] : batch.find(({ id, kind }) => kind === 'update' && id === at)
}

function wordsOf({ issues, message }: SvcError): string {
  return issues.length > 0 ? issues.map((issue) => issue.message).join('; ') : message
}
