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
import { type Following, follow, type Position, type TailEvent } from './follow.js'
import { formerDocuments } from './former-documents.js'

export type Shown =
  | Exclude<TailEvent, { type: 'event' }>
  | {
      readonly type: 'event'
      readonly collection: string
      readonly change: DocumentChange
      /** The previous document, if it is known. */
      readonly before: Fields | undefined
    }

export interface Tail {
  readonly collections: readonly string[]
  events(): AsyncGenerator<Shown, void, undefined>
  close(): void
}

interface TailOptions extends Pick<SubscribeOptions, 'where' | 'since'> {
  /** The flags that name the service in suggested commands. */
  readonly target?: string
  /** Whether the service tells which collections it has. Otherwise the words are their names. */
  readonly listsCollections?: boolean
}

const pollMilliseconds = 2_000

/**
 * Subscribes to the named collections, or to all, including new ones. Subscribes again to collections that are deleted and created
 * again. Resolves once each subscription is open.
 */
export async function openTail(
  client: Client,
  words: readonly string[],
  { where, since, target = '', listsCollections = true }: TailOptions,
  signal: AbortSignal,
): Promise<Tail> {
  const chosen = listsCollections ? await findChosen(client, words, target) : words.map(asNamed)
  const collections = chosen.map(({ name }) => name)
  const following = follow(client, where, signal)
  const former = formerDocuments(client)
  // Past changes carry past documents, so the current ones are of no use.
  const look = async () => {
    if (since === undefined) for (const name of collections) await former.look(name)
  }
  // A service without a list may create a collection that is read. Its subscription shows that the collection exists.
  if (listsCollections) await look()
  const positions: Positions = new Map(chosen.map(({ id }) => [id, { since }]))
  await Promise.all(chosen.map((one) => following.add(one.name, findPosition(positions, one))))
  const find = words.length === 0 ? () => client.collections.list() : () => namedOnes(client, collections, following)
  if (listsCollections) void addFound(find, following, positions, signal)
  else await look()
  return {
    collections,
    close: following.close,
    async *events() {
      for await (const event of following.events())
        yield event.type === 'event' ? { ...event, before: former.replace(event.change) } : event
    },
  }
}

/** Replaces ids with names. */
function findChosen(client: Client, words: readonly string[], target: string) {
  return chooseCollections(client, words, (word) => missingHint(word, { target })).catch((error) => {
    // Uses the given names if the service does not list its collections.
    if (words.length === 0 || !(error instanceof SvcError) || error.code !== 'METHOD_NOT_ALLOWED') throw error
    return words.map(asNamed)
  })
}

function asNamed(name: string) {
  return { id: name, name }
}

/** Subscribes to collections that were created since the last check. */
async function addFound(
  find: () => Promise<readonly Collection[]>,
  following: Following,
  positions: Positions,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await pause(pollMilliseconds, undefined, { signal }).catch(() => undefined)
    const found = signal.aborted ? undefined : await find().catch(() => undefined)
    for (const one of found ?? []) {
      // Compares names only, because a reconnect subscribes to whichever collection has the name by then.
      if (!following.has(one.name)) await following.add(one.name, findPosition(positions, one)).catch(() => undefined)
    }
  }
}

/** Finds named collections that exist but are no longer subscribed to. */
async function namedOnes(client: Client, names: readonly string[], { has }: Following): Promise<Collection[]> {
  const missing = names.filter((name) => !has(name))
  const found = await Promise.all(missing.map((name) => findUnlisted(client.collections, name)))
  return found.filter((one) => one !== undefined)
}

/** The positions of the collections, by id. */
type Positions = Map<string, Position>

/** Starts an unknown collection at its first change. */
function findPosition(positions: Positions, { id }: Pick<Collection, 'id'>): Position {
  const position = positions.get(id) ?? { since: 0 }
  positions.set(id, position)
  return position
}
