/** Reads the documents from which types are inferred: all of a collection, or a sample of a large one. */
import type { Client, Collection, Permissions, Schema, SvcError } from '../client/index.js'
import { isOfDocument } from '../client/protocol/model/access/permission-words.js'
import { type Path, parsePath } from '../client/protocol/model/path.js'
import { confirmChoices } from './confirm-choices.js'
import { nothingObserved, type Observed, observe } from './observe.js'

/** Documents to read per collection by default: half the oldest, half the newest. */
export const sampleSize = 2_000

export interface Reading {
  /** Maximum number of documents to read per collection. */
  readonly most: number
  /** Whether the caller has the secret key, which bypasses permissions. */
  readonly seesAll: boolean
  readonly signal?: AbortSignal | undefined
  /** Called with the number of documents read so far. */
  readonly onRead?: (documents: number) => void
}

export interface ReadCollection {
  readonly name: string
  readonly schema: Schema
  /** Fields that permissions hide from some callers. */
  readonly hidden: readonly Path[]
  readonly documents: Observed
  /** Number of documents read. */
  readonly read: number
  /** Number of documents in the collection. Undefined if the caller cannot read them and only the schema is known. */
  readonly total: number | undefined
  /** Describes what permissions hid from the caller. */
  readonly withheld: string | undefined
}

type Documents = Pick<Client, 'collection'>

/**
 * Reads a collection. From a large one it reads the oldest and the newest half of `most` (ids sort by time). The
 * sample covers both old and recent data, and the same data always produces the same types.
 */
export async function readCollection(
  client: Documents,
  { name, schema, permissions }: Pick<Collection, 'name' | 'schema' | 'permissions'>,
  { most, seesAll, signal, onRead }: Reading,
): Promise<ReadCollection> {
  const collection = client.collection(name)
  const documents = nothingObserved()
  const hidden = Object.keys(permissions?.hidden ?? {}).map(parsePath)
  const total = await collection.count({ signal }).catch(undefinedIfHidden)
  if (total === undefined) {
    const withheld = `permissions hide the documents of "${name}"`
    return { name, schema, hidden, documents, read: 0, total, withheld }
  }
  const isSample = most < total
  // The halves overlap if documents are deleted in between.
  const seen = isSample ? new Set<string>() : undefined
  const take = async (sort: '-id' | undefined, wanted: number) => {
    if (wanted === 0) return
    let left = wanted
    for await (const { id, data } of collection.iterate({ sort, signal })) {
      if (seen?.has(id)) continue
      seen?.add(id)
      observe(documents, data)
      read++
      if (read % 100 === 0) onRead?.(read)
      if (--left === 0) return
    }
  }
  let read = 0
  if (isSample) {
    await take(undefined, Math.ceil(most / 2))
    await take('-id', Math.floor(most / 2))
    await confirmChoices(collection, documents, schema)
  } else await take(undefined, Number.POSITIVE_INFINITY)
  const withheld = seesAll ? undefined : describeWithheld(name, permissions, documents)
  return { name, schema, hidden, documents, read, total: Math.max(total, read), withheld }
}

function describeWithheld(name: string, permissions: Permissions = {}, documents: Observed): string | undefined {
  const isPartial = permissions.read?.some(isOfDocument)
  if (isPartial) return `permissions hide documents of others in "${name}"`
  const fields = Object.keys(permissions.hidden ?? {}).filter((path) => !isSeen(documents, parsePath(path)))
  return fields.length === 0 ? undefined : `permissions hide ${fields.join(', ')} of the documents of "${name}"`
}

function isSeen(seen: Observed | undefined, [field, ...deeper]: readonly string[]): boolean {
  if (!seen || field === undefined) return seen !== undefined
  return isSeen(seen.objects?.fields.get(field), deeper) || isSeen(seen.items, [field, ...deeper])
}

function undefinedIfHidden(error: SvcError): undefined {
  if (!isHidden(error)) throw error
}

/** Returns whether the key is valid but not allowed to read the documents. */
export function isHidden({ code }: SvcError): boolean {
  return code === 'FORBIDDEN' || code === 'UNAUTHORIZED'
}
