/** Types that follow the data: read again, a collection at a time, when documents, schemas or collections change. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Client, Collection } from '../../client/index.js'
import { type ReadCollection, type Reading, readCollection } from './read-collections.js'

/** Changes within this time are one; an app that writes all the time has its types written once in it. */
const settleMilliseconds = 500
/** New collections and changed schemas publish no events. */
const lookMilliseconds = 1_000

export interface CollectionReader {
  /** Reads what has changed since the last time, all at first; by name. */
  read(): Promise<ReadCollection[]>
  /** Resolves once something has changed; rejects when the signal aborts. */
  changed(): Promise<void>
  close(): void
}

/** @param select which of the collections that there are */
export function openReader(
  client: Client,
  reading: Reading & { readonly signal: AbortSignal },
  select: (all: readonly Collection[]) => readonly Collection[],
): CollectionReader {
  const { signal } = reading
  const known = new Map<string, { readonly as: string; readonly value: ReadCollection }>()
  const followed = new Map<string, () => void>()
  const dirty = new Set<string>()

  /** A connection follows so many; those beyond are read again when their schema changes. */
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

  return {
    async read() {
      const all = await look()
      for (const collection of all) {
        const { name } = collection
        const isChanged = dirty.delete(name)
        if (known.has(name) && !isChanged) continue
        // Before it is read: what is written meanwhile makes it be read again.
        if (!followed.has(name) && followed.size < maxFollowed) await follow(name)
        try {
          known.set(name, { as: identity(collection), value: await readCollection(client, collection, reading) })
        } catch (error) {
          known.delete(name)
          throw error
        }
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

/** Subscriptions that one connection may have. */
const maxFollowed = 100

function identity({ id, schema, permissions }: Collection): string {
  return `${id} ${JSON.stringify([schema, permissions?.hidden])}`
}
