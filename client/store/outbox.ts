/** Writes of one user: which are pending, and sending them in turn. */
import { internals } from '../collections/internals.js'
import { type Client, SvcError } from '../index.js'
import type { Document } from '../protocol/model/document.js'
import { type Mutation, sendMutation } from './mutation.js'

export interface Outbox {
  /** Pending writes, and saved ones that a list may not show yet, in the order they were made. */
  mutations(): readonly Mutation[]
  /** Number of saved writes. */
  turn(): number
  /**
   * Shows a write at once, and sends it after earlier writes to the same document.
   *
   * @param retry sends the write until the service accepts or refuses it
   * @throws {SvcError} if it is refused
   */
  add(mutation: Mutation, retry: boolean): Promise<Document<object> | undefined>
}

/** Limits the backoff, so that writes resume soon after the service is back. */
const maxDoublings = 3

/**
 * Opens the outbox of the signed-in user. Sends only while the same user is signed in.
 *
 * @param onChange called after each change of `mutations()`
 * @param dropLater drops a saved write once lists show it
 */
export function openOutbox(
  client: Pick<Client, 'auth' | 'collection'>,
  onChange: () => void,
  dropLater: (mutation: Mutation, drop: () => void) => void,
): Outbox {
  const { backOff, isTransient } = client.collection('')[internals]
  let mutations: readonly Mutation[] = []
  let turn = 0
  /** The ids of new documents before and after they were saved. */
  const savedIds = new Map<string, string>()
  const newIds = new Map<string, string>()
  const lastQueued = new Map<string, Promise<unknown>>()

  function put(next: readonly Mutation[]) {
    mutations = next
    onChange()
  }

  /** Queues writes per document, because concurrent ones could arrive in any order. */
  function inTurn<Result>(given: string, work: () => Promise<Result>): Promise<Result> {
    const id = newIds.get(given) ?? given
    const queued = (lastQueued.get(id) ?? Promise.resolve()).then(work, work)
    lastQueued.set(id, queued)
    const end = () => lastQueued.get(id) === queued && lastQueued.delete(id)
    queued.then(end, end)
    return queued
  }

  const whoAsks = async () => (await client.auth.session())?.user.id

  /** @throws {SvcError} permanent failures; after a change of user, the last failure, or `UNAUTHORIZED` if nothing was sent */
  async function send(
    mutation: () => Mutation,
    writer: Promise<string | undefined>,
    onWaiting: (why: SvcError) => boolean,
  ) {
    let failure: SvcError | undefined
    for (let attempt = 1; (await whoAsks()) === (await writer); attempt++) {
      try {
        return await sendMutation(client, mutation(), attempt > 1)
      } catch (error) {
        failure = error as SvcError
        if (!isTransient(failure) || !onWaiting(failure)) break
        await new Promise((resolve) => setTimeout(resolve, backOff(Math.min(attempt, maxDoublings), 1_000)))
      }
    }
    throw failure ?? new SvcError('UNAUTHORIZED', 'The user changed.')
  }

  return {
    mutations: () => mutations,
    turn: () => turn,
    async add(mutation, retry) {
      const { key, id } = mutation
      const writer = whoAsks()
      // Avoids an unhandled rejection, because the write may be sent much later.
      writer.catch(() => undefined)
      const current = () => mutations.find((other) => other.key === key) ?? mutation
      const become = (changes: Partial<Mutation>) =>
        put(mutations.map((other) => (other.key === key ? { ...other, ...changes } : other)))
      const drop = () => put(mutations.filter((other) => other.key !== key))
      /** Gives writes to a new document the id of the saved one. */
      const rename = (newId: string, id: string) => {
        if (newId === id) return
        savedIds.set(newId, id)
        newIds.set(id, newId)
        mutations = mutations.map((other) => (other.id === newId ? { ...other, id } : other))
      }
      const onWaiting = (error: SvcError) => {
        if (retry) become({ state: 'waiting', error })
        return retry
      }
      put([...mutations, { ...mutation, id: savedIds.get(id) ?? id }])
      try {
        const document = await inTurn(id, () => send(current, writer, onWaiting))
        if (document) rename(current().id, document.id)
        become({ state: 'saved', error: undefined, document, turn: ++turn })
        dropLater(mutation, drop)
        return document
      } catch (error) {
        drop()
        throw error
      }
    },
  }
}
