/** Runs operations that state what a document was. Skips documents that changed since, and creates nothing twice. */
import { SvcError } from '../../client/protocol/model/errors.js'
import { equalJson, type JsonObject } from '../../client/protocol/model/json.js'
import { undefinedIfMissing } from '../base/failure.js'
import type { Client } from '../base/target-command.js'
import { ownValue } from '../records/own-value.js'
import type { Operation } from './operations.js'
import { dataById } from './read-back.js'
import { describeRefusal, isAboutSome, type Refusal, refusal, type SentBatch } from './refusals.js'

type Collection = ReturnType<Client['collection']>

export interface CheckedOperations extends SentBatch {
  readonly ready: readonly Operation[]
}

/**
 * Finds the updates and deletions that still apply. Counts documents that already match as accepted, because an
 * interrupted run wrote them. Batches take no versions, so a write between this check and the batch goes unnoticed.
 */
export async function checkOperations(collection: Collection, batch: readonly Operation[]): Promise<CheckedOperations> {
  const guarded = batch.filter(({ was }) => was !== undefined)
  const found = await dataById(
    collection,
    guarded.map(({ id }) => id),
  )
  const ready: Operation[] = []
  const refused: Refusal[] = []
  let accepted = 0
  for (const operation of batch) {
    const { id, kind, was } = operation
    const now = found.get(id)
    if (was === undefined) ready.push(operation)
    else if (isAsWanted(operation, now)) accepted++
    else if (now === undefined) refused.push(isGone(operation))
    else if (kind === 'delete' ? equalJson(now, was) : isSame(now, was, Object.keys(operation.data)))
      ready.push(operation)
    else refused.push(isChanged(operation))
  }
  return { ready, accepted, refused }
}

function isAsWanted({ kind, data }: Operation, now: JsonObject | undefined): boolean {
  return kind === 'delete' ? now === undefined : now !== undefined && isSame(now, data, Object.keys(data))
}

/** Keeps the creates whose document does not exist yet. */
export async function withoutThose(collection: Collection, batch: readonly Operation[]): Promise<readonly Operation[]> {
  const found = await dataById(
    collection,
    batch.flatMap(({ unless }) => unless ?? []),
  )
  return batch.filter(({ unless }) => unless === undefined || !found.has(unless))
}

const maxInFlight = 8

/** Replaces documents one by one, because the API has no batch for it. With `was`, replaces only that version. */
export async function replaceAll(collection: Collection, batch: readonly Operation[]): Promise<SentBatch> {
  const left = [...batch].reverse()
  const refused: Refusal[] = []
  const work = async () => {
    for (let operation = left.pop(); operation; operation = left.pop()) {
      const found = await replaceOne(collection, operation)
      if (found) refused.push(found)
    }
  }
  const workers = Array.from({ length: maxInFlight }, () =>
    work().catch((error) => {
      left.length = 0
      throw error
    }),
  )
  // Waits for requests in flight before throwing.
  await Promise.allSettled(workers)
  await Promise.all(workers)
  return { accepted: batch.length - refused.length, refused }
}

/** Returns why the replacement was refused. Undefined if it succeeded, now or earlier. */
async function replaceOne(collection: Collection, operation: Operation): Promise<Refusal | undefined> {
  try {
    return await replaceGuarded(collection, operation)
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    if (error.code === 'CONFLICT') return isChanged(operation)
    if (!isAboutSome(error)) throw error
    if (error.code !== 'NOT_FOUND') return refusal(operation, error.code, describeRefusal(error))
    // The document exists, so the service has no endpoint to replace it.
    if (await collection.get(operation.id).catch(undefinedIfMissing)) throw error
    return operation.was === undefined ? refusal(operation, error.code, describeRefusal(error)) : isGone(operation)
  }
}

async function replaceGuarded(collection: Collection, operation: Operation): Promise<Refusal | undefined> {
  const { id, data, was } = operation
  if (was === undefined) {
    await collection.replace(id, data)
    return undefined
  }
  const now = await collection.get(id)
  if (equalJson(now.data, data)) return undefined
  if (!equalJson(now.data, was)) return isChanged(operation)
  const after = await collection.replace(id, data, { ifMatch: now.version })
  const kept = Object.keys(after.data).find((name) => Object.hasOwn(was, name) && !Object.hasOwn(data, name))
  if (kept === undefined) return undefined
  return refusal(
    operation,
    'INVALID_BODY',
    `the service kept "${kept}", because it merges replacements instead of replacing the document`,
  )
}

function isGone(operation: Operation): Refusal {
  return refusal(operation, 'NOT_FOUND', 'was deleted in the meantime')
}

function isChanged(operation: Operation): Refusal {
  return refusal(operation, 'CONFLICT', 'was changed in the meantime')
}

function isSame(one: JsonObject, other: JsonObject, names: readonly string[]): boolean {
  return names.every((name) => equalJson(ownValue(one, name), ownValue(other, name)))
}
