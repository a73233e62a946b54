/** One write for every document of a selection: read by their ids and written some at a time, several requests at once. */
import { SvcError } from '../../client/protocol/model/errors.js'
import { sizes } from '../../client/protocol/model/limits.js'
import type { Where } from '../../client/protocol/model/where.js'
import type { Client } from '../base/target-command.js'
import { idsThere } from './read-back.js'

type Collection = ReturnType<Client['collection']>

/** The ids of the documents that conditions match. */
export async function* matchingIds(collection: Collection, where: Where): AsyncGenerator<string, void, undefined> {
  for await (const { id } of collection.iterate({ where })) yield id
}

export interface SelectionOptions {
  /** The documents to write. */
  readonly ids: AsyncIterable<string>
  /** Once aborted, nothing new is read or written; what is in flight is awaited. */
  readonly signal: AbortSignal
  /** Receives how many documents have been written so far. */
  onWritten(written: number): void
}

export interface SelectionResult {
  readonly written: number
  /** Documents that were deleted by another writer meanwhile. */
  readonly gone: number
}

/** As many as a batch takes. */
const idsAtOnce = sizes.mostBatchItems
const maxInFlight = 3

/**
 * Writes all documents of a selection, each once. What was written when it fails or is stopped stays so; `onWritten` has said
 * how much that is.
 */
export async function writeSelection(
  collection: Collection,
  { ids: all, signal, onWritten }: SelectionOptions,
  write: (ids: readonly string[]) => Promise<unknown>,
): Promise<SelectionResult> {
  const result = { written: 0, gone: 0 }
  const inFlight = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | undefined

  async function send(ids: readonly string[]): Promise<void> {
    const written = await writeThose(collection, ids, write)
    result.written += written
    result.gone += ids.length - written
    onWritten(result.written)
  }
  function begin(ids: readonly string[]): void {
    const sending: Promise<void> = send(ids)
      .catch((error) => {
        failure ??= { error }
      })
      .finally(() => inFlight.delete(sending))
    inFlight.add(sending)
  }

  let ids: string[] = []
  try {
    for await (const id of all) {
      if (signal.aborted || failure) break
      ids.push(id)
      if (ids.length < idsAtOnce) continue
      begin(ids)
      ids = []
      if (inFlight.size >= maxInFlight) await Promise.race(inFlight)
    }
  } catch (error) {
    failure ??= { error }
  }
  if (ids.length > 0 && !signal.aborted && !failure) begin(ids)
  await Promise.all(inFlight)
  if (failure) throw failure.error
  return result
}

/** How many of them were there to be written. A batch is refused as a whole, so one that is refused is halved. */
async function writeThose(
  collection: Collection,
  ids: readonly string[],
  write: (ids: readonly string[]) => Promise<unknown>,
): Promise<number> {
  try {
    await write(ids)
    return ids.length
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    if (error.code === 'NOT_FOUND') {
      const there = await idsThere(collection, ids)
      // Nothing of the batch is missing, so the path or the collection is.
      if (there.size === ids.length) throw error
      return there.size > 0 ? writeThose(collection, [...there], write) : 0
    }
    if (ids.length === 1 || !isTooLarge(error)) throw error
    const middle = Math.ceil(ids.length / 2)
    const first = await writeThose(collection, ids.slice(0, middle), write)
    return first + (await writeThose(collection, ids.slice(middle), write))
  }
}

function isTooLarge({ code }: SvcError): boolean {
  return code === 'PAYLOAD_TOO_LARGE' || code === 'RESULT_TOO_LARGE'
}
