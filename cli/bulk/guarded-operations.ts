/** Operations that say what a document was: one that was changed since stays as it is, and one that is there is not created again. */
import { SvcError } from '../../client/protocol/model/errors.js'
import { equalJson, type JsonObject } from '../../client/protocol/model/json.js'
import { undefinedIfMissing } from '../base/failure.js'
import type { Client } from '../base/target-command.js'
import { ownValue } from '../records/own-value.js'
import type { Operation } from './operations.js'
import { dataById } from './read-back.js'
import { isAboutSome, type Refusal, refusal, type SentBatch, wordsOf } from './refusals.js'

type Collection = ReturnType<Client['collection']>

export interface CheckedOperations extends SentBatch {
  readonly ready: readonly Operation[]
}

/**
 * Which updates or deletions still hold. What is as they want it already counts as accepted: it was written by a run that was
 * stopped. A batch takes no versions, so what is written between this look and the batch is not noticed.
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

/** Those that create what is not there. */
export async function withoutThose(collection: Collection, batch: readonly Operation[]): Promise<readonly Operation[]> {
  const found = await dataById(
    collection,
    batch.flatMap(({ unless }) => unless ?? []),
  )
  return batch.filter(({ unless }) => unless === undefined || !found.has(unless))
}

const maxInFlight = 8

/** Replacements, each by itself: there is no batch of them. One that says what the document was is for that version alone. */
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
  // Requests in flight are awaited before the failure is thrown.
  await Promise.allSettled(workers)
  await Promise.all(workers)
  return { accepted: batch.length - refused.length, refused }
}

/** Why it was not carried out; nothing where it was, now or before. */
async function replaceOne(collection: Collection, operation: Operation): Promise<Refusal | undefined> {
  try {
    return await replaceGuarded(collection, operation)
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    if (error.code === 'CONFLICT') return isChanged(operation)
    if (!isAboutSome(error)) throw error
    if (error.code !== 'NOT_FOUND') return refusal(operation, error.code, wordsOf(error))
    // The document is there, so this service has nothing that replaces one.
    if (await collection.get(operation.id).catch(undefinedIfMissing)) throw error
    return operation.was === undefined ? refusal(operation, error.code, wordsOf(error)) : isGone(operation)
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
  return refusal(operation, 'INVALID_BODY', `"${kept}" is still there: this service merges what replaces a document`)
}

function isGone(operation: Operation): Refusal {
  return refusal(operation, 'NOT_FOUND', 'was deleted meanwhile')
}

function isChanged(operation: Operation): Refusal {
  return refusal(operation, 'CONFLICT', 'was changed meanwhile')
}

function isSame(one: JsonObject, other: JsonObject, names: readonly string[]): boolean {
  return names.every((name) => equalJson(ownValue(one, name), ownValue(other, name)))
}
