/** Follows the data and re-reads a collection when its documents or schema change. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Client, Collection } from '../../client/index.js'
import { type ReadCollection, type Reading, readCollection } from '../../types/read-collections.js'

/** Debounces changes. An app that writes constantly has its types rewritten once per interval. */
const settleMilliseconds = 500
/** Polls for new collections and changed schemas, because they publish no events. */
const lookMilliseconds = 1_000

export interface CollectionReader {
  /** Reads the collections that changed since the last call. The first call reads all. */
  read(): Promise<ReadCollection[]>
  /** Resolves after a change. Rejects when the signal aborts. */
  changed(): Promise<void>
  close(): void
}

/** @param select picks the collections to read */
export function openReader(
  client: Client,
  reading: Reading & { readonly signal: AbortSignal },
  select: (all: readonly Collection[]) => readonly Collection[],
): CollectionReader {
  const { signal } = reading
  const known = new Map<string, { readonly as: string; readonly value: ReadCollection }>()
  const followed = new Map<string, () => void>()
  const dirty = new Set<string>()

  /**
   * A connection has a limited number of subscriptions. Other collections are re-read only when their schema changes.
   */
  async function follow(name: string): Promise<void> {
    const touch = () => dirty.add(name)
    const end = () => {
      followed.delete(name)
      touch()
    }
    const subscription = client.collection(name).subscribe({ signal, onChange: touch, onResync: touch, onError: end })
    followed.set(name, subscription.close)
    await subscription.ready.catch(() => undefined)
  }

  async function look(): Promise<readonly Collection[]> {
    const all = select(await client.collections.list({ signal }))
    const names = new Set(all.map(({ name }) => name))
    for (const name of known.keys()) {
      if (names.has(name)) continue
      known.delete(name)
      followed.get(name)?.()
      followed.delete(name)
      dirty.add(name)
    }
    for (const collection of all) {
      if (known.get(collection.name)?.as !== identity(collection)) dirty.add(collection.name)
    }
    return all
  }

  async function readOne(collection: Collection): Promise<void> {
    const { name } = collection
    // Subscribes before reading, so that no write in between is missed.
    if (!followed.has(name) && followed.size < maxFollowed) await follow(name)
    try {
      known.set(name, { as: identity(collection), value: await readCollection(client, collection, reading) })
    } catch (error) {
      known.delete(name)
      throw error
    }
  }

  return {
    async read() {
      const all = await look()
      for (const collection of all) {
        const isChanged = dirty.delete(collection.name)
        if (isChanged || !known.has(collection.name)) await readOne(collection)
      }
      for (const name of dirty) if (!known.has(name)) dirty.delete(name)
      return all.flatMap(({ name }) => known.get(name)?.value ?? [])
    },
    async changed() {
      for (let waited = 0; ; waited += settleMilliseconds) {
        await pause(settleMilliseconds, undefined, { signal })
        if (dirty.size > 0) return
        if (waited < lookMilliseconds) continue
        await look().catch(() => undefined)
        waited = 0
        if (dirty.size > 0) return
      }
    },
    close() {
      for (const close of followed.values()) close()
    },
  }
}

/** Maximum subscriptions per connection. */
const maxFollowed = 100

function identity({ id, schema, permissions }: Collection): string {
  return `${id} ${JSON.stringify([schema, permissions?.hidden])}`
}
