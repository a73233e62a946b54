import { setTimeout as pause } from 'node:timers/promises'
import type { Client, DocumentChange, Fields, SubscribeOptions } from '../../client/index.js'
import { chooseCollections } from '../collections/choose.js'
import { missingHint } from '../collections/missing-hint.js'
import { follow, type TailEvent } from './follow.js'
import { formerDocuments } from './former-documents.js'

export type Shown =
  | Exclude<TailEvent, { type: 'event' }>
  | {
      readonly type: 'event'
      readonly collection: string
      readonly change: DocumentChange
      /** What the document was, where it was seen before. */
      readonly before: Fields | undefined
    }

export interface Tail {
  readonly collections: readonly string[]
  events(): AsyncGenerator<Shown, void, undefined>
  close(): void
}

interface Asked extends Pick<SubscribeOptions, 'where' | 'since'> {
  /** The flags that name the service in a command that is suggested. */
  readonly target?: string
}

const lookMilliseconds = 2_000

/** Subscribes to these collections; to all without one, those too that are made later. Resolves once each subscription is open. */
export async function openTail(
  client: Client,
  words: readonly string[],
  { where, since, target = '' }: Asked,
  signal: AbortSignal,
): Promise<Tail> {
  const collections = await namesOf(client, words, target)
  const following = follow(client, where, signal)
  const former = formerDocuments(client)
  // Who asks for earlier changes receives documents as they were, not as they are.
  if (since === undefined) for (const name of collections) await former.look(name)
  await Promise.all(collections.map((name) => following.add(name, since)))
  if (words.length === 0) void addNewOnes(client, new Set(collections), following.add, signal)
  return {
    collections,
    close: following.close,
    async *events() {
      for await (const event of following.events())
        yield event.type === 'event' ? { ...event, before: former.replace(event.change) } : event
    },
  }
}

/** All that happened to a collection which was made meanwhile is new. */
async function addNewOnes(
  client: Client,
  subscribed: Set<string>,
  add: (collection: string, since: number) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await pause(lookMilliseconds, undefined, { signal }).catch(() => undefined)
    const all = signal.aborted ? undefined : await client.collections.list().catch(() => undefined)
    const names = new Set(all?.map(({ name }) => name))
    for (const name of subscribed) if (all && !names.has(name)) subscribed.delete(name)
    for (const name of names) {
      if (subscribed.has(name)) continue
      subscribed.add(name)
      await add(name, 0).catch(() => subscribed.delete(name))
    }
  }
}

/** Names of collections; an id stands for its name. */
async function namesOf(client: Client, words: readonly string[], target: string): Promise<string[]> {
  const chosen = await chooseCollections(client, words, (word) => missingHint(word, { target }))
  return chosen.map(({ name }) => name)
}
