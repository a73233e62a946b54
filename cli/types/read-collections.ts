/** The documents that types are worked out from: all of a collection, or a sample of a large one. */
import type { Client, Collection, Permissions, Schema, SvcError } from '../../client/index.js'
import { ownerWord } from '../../client/protocol/model/collection.js'
import { type Path, parsePath } from '../../client/protocol/model/path.js'
import { confirmChoices } from './confirm-choices.js'
import { nothingObserved, type Observed, observe } from './observe.js'

export interface Reading {
  /** Documents that are read of one collection at most. */
  readonly most: number
  /** Whether the caller has the secret key, from which permissions hide nothing. */
  readonly seesAll: boolean
  readonly signal?: AbortSignal | undefined
  /** Called with the number of documents read so far. */
  readonly onRead?: (documents: number) => void
}

export interface ReadCollection {
  readonly name: string
  readonly schema: Schema
  /** Fields that permissions hide from some. */
  readonly hidden: readonly Path[]
  readonly documents: Observed
  /** Documents that were read. */
  readonly read: number
  /** Documents that there are; undefined if the caller may not read them, so that the schema alone is known. */
  readonly total: number | undefined
  /** What permissions hid from the caller, in words. */
  readonly withheld: string | undefined
}

type Documents = Pick<Client, 'collection'>

/**
 * Reads a collection. Of one that holds more than `most`, half of these are the oldest and half the newest (ids carry the
 * time), so that both what has always been there and what came with the last change of the app are seen, and the same data
 * give the same types.
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
  const seen = new Set<string>()
  const take = async (sort: '-id' | undefined, wanted: number) => {
    if (wanted === 0) return
    let left = wanted
    for await (const { id, data } of collection.iterate({ sort, signal })) {
      if (most < total && seen.has(id)) continue
      if (most < total) seen.add(id)
      observe(documents, data)
      read++
      if (read % 100 === 0) onRead?.(read)
      if (--left === 0) return
    }
  }
  let read = 0
  if (total <= most) await take(undefined, Number.POSITIVE_INFINITY)
  else {
    await take(undefined, Math.ceil(most / 2))
    await take('-id', Math.floor(most / 2))
    await confirmChoices(collection, documents, schema)
  }
  const withheld = seesAll ? undefined : withheldOf(name, permissions, documents)
  return { name, schema, hidden, documents, read, total: Math.max(total, read), withheld }
}

function withheldOf(name: string, permissions: Permissions = {}, documents: Observed): string | undefined {
  if (permissions.read?.includes(ownerWord)) return `permissions hide documents of others in "${name}"`
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

/** Whether documents may not be read, by a key that is good. */
export function isHidden({ code }: SvcError): boolean {
  return code === 'FORBIDDEN' || code === 'UNAUTHORIZED'
}
