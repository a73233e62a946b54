/** Sends operations in atomic batches, across several collections, and reports the refused lines. */
import { type Issue, SvcError } from '../../client/protocol/model/errors.js'
import { objectOfMany } from '../../client/protocol/model/json.js'
import { sizes } from '../../client/protocol/model/limits.js'
import type { Client } from '../base/target-command.js'
import { hashJson } from '../files/hash.js'
import { inPieces } from '../records/pieces.js'
import { checkOperations, replaceAll, withoutThose } from './guarded-operations.js'
import type { Operation, OperationKind } from './operations.js'
import { idsThere } from './read-back.js'
import { both, describeRefusal, isAboutSome, type Refusal, refusal, type SentBatch } from './refusals.js'

type Collection = ReturnType<Client['collection']>

export interface Carried {
  readonly accepted: { readonly [Kind in OperationKind]: number }
  readonly refused: readonly Refusal[]
}

export interface SendOptions {
  readonly client: Client
  /**
   * Part of every idempotency key. Random per run and kept on resume, so that a repeated request creates nothing
   * twice.
   */
  readonly id: string
  /** Whether the operations may have run before. Then missing documents count as deleted. */
  readonly isRepeated: boolean
}

const maxOperations = 3 * sizes.maxBatchItems
// Leaves room for the envelope around each document.
const maxBytes = sizes.maxBodyBytes * 0.7

/** Collects operations in order until the batch is full, or until two concern the same document. */
export function gatherOperations() {
  let operations: Operation[] = []
  let ids = new Set<string>()
  let bytes = 0
  return {
    isFullFor: (operation: Operation) =>
      operations.length >= maxOperations ||
      (operations.length > 0 && bytes + operation.bytes > maxBytes) ||
      ids.has(targetId(operation)),
    add(operation: Operation) {
      operations.push(operation)
      const id = targetId(operation)
      if (id !== '') ids.add(id)
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

function targetId({ id, unless = id }: Operation): string {
  return unless
}

/** Sends operations on different documents: one batch per collection and kind, all in parallel. */
export async function sendOperations(operations: readonly Operation[], options: SendOptions): Promise<Carried> {
  const groups = new Map<string, Operation[]>()
  for (const operation of operations) {
    const name = `${operation.kind} ${operation.collection}`
    const group = groups.get(name)
    if (group) group.push(operation)
    else groups.set(name, [operation])
  }
  const batches = [...groups.values()].flatMap((group) => [...inPieces(group, sizes.maxBatchItems)])
  const carried = await Promise.all(batches.map((batch) => runBatch(batch, options)))
  const accepted = { create: 0, update: 0, replace: 0, delete: 0 }
  for (const [at, { accepted: count }] of carried.entries()) {
    const kind = batches[at]?.[0]?.kind
    if (kind) accepted[kind] += count
  }
  return { accepted, refused: carried.flatMap(({ refused }) => refused) }
}

async function runBatch(batch: readonly Operation[], options: SendOptions): Promise<SentBatch> {
  const [first] = batch
  if (!first) return { accepted: 0, refused: [] }
  return runners[first.kind](options.client.collection(first.collection), batch, options)
}

const runners: {
  readonly [Kind in OperationKind]: (
    collection: Collection,
    batch: readonly Operation[],
    options: SendOptions,
  ) => Promise<SentBatch>
} = {
  create: async (collection, batch, { id }) =>
    sendBatch(collection, await withoutThose(collection, batch), (some) => {
      const idempotencyKey = `${id}-${hashJson(some.map(({ line }) => line))}`
      const fields = some.map(({ data }) => data)
      return collection.createMany(fields, { idempotencyKey, returning: false })
    }),
  async update(collection, batch) {
    const { ready, ...settled } = await checkOperations(collection, batch)
    const sent = await sendBatch(collection, ready, (some) => {
      const changes = objectOfMany(some.map(({ id, data }) => [id, data]))
      return collection.updateMany(changes, { returning: false })
    })
    return both(settled, sent)
  },
  replace: replaceAll,
  async delete(collection, batch, { isRepeated }) {
    const { ready, ...settled } = await checkOperations(collection, batch)
    const send = (some: readonly Operation[]) => collection.deleteMany(some.map(({ id }) => id))
    return both(settled, await sendBatch(collection, ready, send, { isMissingDone: isRepeated }))
  },
}

/**
 * Keeps a refused operation from blocking the others: drops the ones the error names, else splits the batch in half.
 */
async function sendBatch(
  collection: Collection,
  batch: readonly Operation[],
  send: (some: readonly Operation[]) => Promise<unknown>,
  { isMissingDone = false } = {},
): Promise<SentBatch> {
  const [first] = batch
  if (!first) return { accepted: 0, refused: [] }
  const sendSome = (some: readonly Operation[]) => sendBatch(collection, some, send, { isMissingDone })
  try {
    await send(batch)
    return { accepted: batch.length, refused: [] }
  } catch (error) {
    if (!(error instanceof SvcError) || !isAboutSome(error)) throw error
    if (error.code === 'NOT_FOUND') {
      const gone = await goneIn(collection, batch, error)
      // All documents exist, so the path or the collection is missing.
      if (gone.size === 0) throw error
      const settled = settleGone(gone, error, isMissingDone)
      return both(settled, await sendSome(batch.filter((operation) => !gone.has(operation))))
    }
    if (batch.length === 1) {
      return { accepted: 0, refused: [refusal(first, error.code, describeRefusal(error))] }
    }
    const named = namedIn(error, batch)
    if (named.size === 0) {
      const middle = Math.ceil(batch.length / 2)
      return both(await sendSome(batch.slice(0, middle)), await sendSome(batch.slice(middle)))
    }
    const refused = [...named].map(([operation, problem]) => refusal(operation, error.code, problem))
    return both({ accepted: 0, refused }, await sendSome(batch.filter((operation) => !named.has(operation))))
  }
}

/** Returns the operations whose document is missing: those the error names, or those a lookup does not find. */
async function goneIn(
  collection: Collection,
  batch: readonly Operation[],
  { message }: SvcError,
): Promise<ReadonlySet<Operation>> {
  const withId = batch.filter(({ kind }) => kind !== 'create')
  const named = withId.filter(({ id }) => message.includes(id))
  if (named.length > 0) return new Set(named)
  const there = await idsThere(
    collection,
    withId.map(({ id }) => id),
  )
  return new Set(withId.filter(({ id }) => !there.has(id)))
}

function settleGone(gone: ReadonlySet<Operation>, error: SvcError, isMissingDone: boolean): SentBatch {
  if (isMissingDone) return { accepted: gone.size, refused: [] }
  const problem = describeRefusal(error)
  return { accepted: 0, refused: [...gone].map((operation) => refusal(operation, error.code, problem)) }
}

/** Returns the operations that the issues name by index or document id. Empty if any issue names none. */
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
