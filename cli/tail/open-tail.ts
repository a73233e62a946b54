import { setTimeout as pause } from 'node:timers/promises'
import type { Client, DocumentChange, Fields, SubscribeOptions } from '../../client/index.js'
import { CliFailure, exits } from '../base/failure.js'
import { nearest } from '../terminal/nearest.js'
import { follow, type Told } from './follow.js'
import { formerDocuments } from './former-documents.js'

export type Shown =
  | Exclude<Told, { type: 'event' }>
  | {
      readonly type: 'event'
      readonly collection: string
      readonly change: DocumentChange
      /** What the document was, where it was seen before. */
      readonly before: Fields | undefined
    }

export interface Tail {
  readonly collections: readonly string[]
  told(): AsyncGenerator<Shown, void, undefined>
  close(): void
}

const lookMilliseconds = 2_000

/** Listens to these collections; to all without one, those too that are made later. Resolves once each of them tells. */
export async function openTail(
  client: Client,
  words: readonly string[],
  { where, since }: Pick<SubscribeOptions, 'where' | 'since'>,
  signal: AbortSignal,
): Promise<Tail> {
  const collections = await namesOf(client, words)
  const following = follow(client, where, signal)
  const former = formerDocuments(client)
  // Who asks for earlier changes is told of documents as they were, not as they are.
  if (since === undefined) for (const name of collections) await former.look(name)
  await Promise.all(collections.map((name) => following.add(name, since)))
  if (words.length === 0) void addNewOnes(client, new Set(collections), following.add, signal)
  return {
    collections,
    close: following.close,
    async *told() {
      for await (const told of following.told())
        yield told.type === 'event' ? { ...told, before: former.replace(told.change) } : told
    },
  }
}

/** All that happened to a collection which was made meanwhile is new. */
async function addNewOnes(
  client: Client,
  known: Set<string>,
  add: (collection: string, since: number) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await pause(lookMilliseconds, undefined, { signal }).catch(() => undefined)
    const all = signal.aborted ? undefined : await client.collections.list().catch(() => undefined)
    const names = new Set(all?.map(({ name }) => name))
    for (const name of known) if (all && !names.has(name)) known.delete(name)
    for (const name of names) {
      if (known.has(name)) continue
      known.add(name)
      await add(name, 0).catch(() => known.delete(name))
    }
  }
}

/** Names of collections; an id stands for its name. */
async function namesOf(client: Client, words: readonly string[]): Promise<string[]> {
  const all = await client.collections.list()
  const names = all.map(({ name }) => name)
  if (words.length === 0) return names
  return [...new Set(words)].map((word) => {
    const found = all.find(({ id, name }) => name === word || id === word)
    if (found) return found.name
    const meant = nearest(word, names)
    const hint = meant ? `Did you mean "${meant}"?` : `Create it: svc collections create ${word}`
    throw new CliFailure('NOT_FOUND', exits.notFound, `No collection "${word}".`, hint)
  })
}
