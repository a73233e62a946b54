import { setTimeout as pause } from 'node:timers/promises'
import {
  type Client,
  type Collection,
  type DocumentChange,
  type Fields,
  type SubscribeOptions,
  SvcError,
} from '../../client/index.js'
import { chooseCollections, findUnlisted } from '../collections/choose.js'
import { missingHint } from '../collections/missing-hint.js'
import { type Following, follow, type Place, type TailEvent } from './follow.js'
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

/**
 * Subscribes to these collections; to all without one, those too that are made later. One that is deleted and made again is
 * subscribed to again. Resolves once each subscription is open.
 */
export async function openTail(
  client: Client,
  words: readonly string[],
  { where, since, target = '' }: Asked,
  signal: AbortSignal,
): Promise<Tail> {
  // By names; an id stands for its name.
  const chosen = await chooseCollections(client, words, (word) => missingHint(word, { target })).catch((error) => {
    // Where a service lists none, the names that were given have to do.
    if (words.length === 0 || !(error instanceof SvcError) || error.code !== 'METHOD_NOT_ALLOWED') throw error
    return words.map((name) => ({ id: name, name }))
  })
  const collections = chosen.map(({ name }) => name)
  const following = follow(client, where, signal)
  const former = formerDocuments(client)
  // Who asks for earlier changes receives documents as they were, not as they are.
  if (since === undefined) for (const name of collections) await former.look(name)
  const places: Places = new Map(chosen.map(({ id }) => [id, { since }]))
  await Promise.all(chosen.map((one) => following.add(one.name, placeOf(places, one))))
  const find = words.length === 0 ? () => client.collections.list() : () => namedOnes(client, collections, following)
  void addFound(find, following, places, signal)
  return {
    collections,
    close: following.close,
    async *events() {
      for await (const event of following.events())
        yield event.type === 'event' ? { ...event, before: former.replace(event.change) } : event
    },
  }
}

/** Adds what was made, or made again, since the last look. */
async function addFound(
  find: () => Promise<readonly Collection[]>,
  following: Following,
  places: Places,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await pause(lookMilliseconds, undefined, { signal }).catch(() => undefined)
    const found = signal.aborted ? undefined : await find().catch(() => undefined)
    for (const one of found ?? []) {
      // Its name alone decides: who comes back after a lost connection is subscribed to whatever has the name by then.
      if (!following.has(one.name)) await following.add(one.name, placeOf(places, one)).catch(() => undefined)
    }
  }
}

/** Those of the named collections that are not subscribed to any more, and are there. */
async function namedOnes(client: Client, names: readonly string[], { has }: Following): Promise<Collection[]> {
  const missing = names.filter((name) => !has(name))
  const found = await Promise.all(missing.map((name) => findUnlisted(client.collections, name)))
  return found.filter((one) => one !== undefined)
}

/** Where each collection begins, or goes on, by its id. */
type Places = Map<string, Place>

/** One that was not known, whatever its name was before, begins at its first change. */
function placeOf(places: Places, { id }: Pick<Collection, 'id'>): Place {
  const place = places.get(id) ?? { since: 0 }
  places.set(id, place)
  return place
}
