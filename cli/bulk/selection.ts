/** Applies one write to every selected document, in batches, with several requests in flight. */
import { SvcError } from '../../client/protocol/model/errors.js'
import { sizes } from '../../client/protocol/model/limits.js'
import type { Where } from '../../client/protocol/model/where.js'
import type { Client } from '../base/target-command.js'
import { largePages } from '../documents/large-pages.js'
import { idsThere } from './read-back.js'

type Collection = ReturnType<Client['collection']>

/** Yields the ids of the documents that match. */
export async function* matchingIds(collection: Collection, where: Where): AsyncGenerator<string, void, undefined> {
  for await (const { items } of largePages(collection, where)) for (const { id } of items) yield id
}

export interface SelectionOptions {
  /** Ids of the documents to write. */
  readonly ids: AsyncIterable<string> | Iterable<string>
  /** Once aborted, nothing more is read or written. Requests in flight are awaited. */
  readonly signal: AbortSignal
  /** Called with the number of documents written so far. */
  onWritten(written: number): void
}

export interface SelectionResult {
  readonly written: number
  /** Documents that another writer deleted in the meantime. */
  readonly gone: number
}

/** Size of one batch. */
const idsAtOnce = sizes.maxBatchItems
const maxInFlight = 3

/**
 * Writes every selected document once. If it fails or is stopped, earlier writes stay; `onWritten` has reported how
 * many.
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
    const written = await writeBatch(collection, ids, write)
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

/** Returns how many documents were written. A batch is refused as a whole, so a refused batch is split in half. */
async function writeBatch(
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
      // All documents exist, so the path or the collection is missing.
      if (there.size === ids.length) throw error
      return there.size > 0 ? writeBatch(collection, [...there], write) : 0
    }
    if (ids.length === 1 || !isTooLarge(error)) throw error
    const middle = Math.ceil(ids.length / 2)
    const first = await writeBatch(collection, ids.slice(0, middle), write)
    return first + (await writeBatch(collection, ids.slice(middle), write))
  }
}

function isTooLarge({ code }: SvcError): boolean {
  return code === 'PAYLOAD_TOO_LARGE' || code === 'RESULT_TOO_LARGE'
}
