/** The persistent outbox as the store shows it: pending writes of all tabs, and saved ones that a list may not show yet. */
import type { Document } from '../index.js'
import type { Mutation } from '../store/mutation.js'
import type { Outbox } from '../store/outbox.js'
import type { OutboxState, PersistedOutbox, PersistenceOptions } from '../store/persistence.js'
import type { PersistentOutbox, QueueEvents } from './persistent.js'

/** Without storage, the store goes on with an outbox in memory. */
const keepsNothing = ['unavailable', 'outdated']

export function openShown(
  open: (events: QueueEvents) => PersistentOutbox,
  { onChange, dropLater, find, openPlain }: PersistenceOptions,
): PersistedOutbox {
  let mutations: readonly Mutation[] = []
  let turn = 0
  let plain: Outbox | undefined
  let isClosed = false
  let state: OutboxState | undefined
  /** Ids of new documents, before and after they were saved. */
  const savedIds = new Map<string, string>()

  function put(next: readonly Mutation[]) {
    mutations = next
    state = undefined
    if (!isClosed) onChange()
  }

  function replace(key: string, next: readonly Mutation[]) {
    put(mutations.flatMap((other) => (other.key === key ? next : [other])))
  }

  function save(key: string, document: Document | undefined, savedIn = 0) {
    const mutation = mutations.find((other) => other.key === key && other.state !== 'saved')
    if (!mutation) return
    // Without a turn, another tab has saved it, or the browser could not keep that it was saved.
    turn = Math.max(turn + 1, savedIn)
    if (document && document.id !== mutation.id) {
      savedIds.set(mutation.id, document.id)
      mutations = mutations.map((other) => (other.id === mutation.id ? { ...other, id: document.id } : other))
    }
    const { error: _, ...rest } = mutation
    const saved: Mutation = { ...rest, id: document?.id ?? mutation.id, state: 'saved', document, turn }
    replace(key, [saved])
    dropOnceShown(saved)
  }

  function dropOnceShown(saved: Mutation) {
    dropLater(saved, () => replace(saved.key, []))
  }

  /** Returns the last known page of a list. Shows again what was saved since, even if an earlier page did it. */
  async function readPage(key: string) {
    const { saved = [], ...kept } = (await outbox.readPage(key)) ?? {}
    const known = new Set(mutations.map(({ key }) => key))
    const missed = saved.filter(({ key }) => !known.has(key))
    // Pending writes have no turn, and come last in their order.
    const byTurn = (one: Mutation, other: Mutation) => (one.turn ?? Infinity) - (other.turn ?? Infinity) || 0
    if (missed[0]) put([...missed, ...mutations].sort(byTurn))
    missed.forEach(dropOnceShown)
    return kept
  }

  /** Shows writes of earlier pages and other tabs, and hides those that are in conflict. */
  function adopt() {
    const { waiting, sending, pending, conflicts } = outbox.state()
    const writes = [sending ?? [], pending].flat()
    const refused = new Set(conflicts.map(({ key }) => key))
    const queued = new Map(writes.map((write) => [write.key, write]))
    const known = new Set(mutations.map(({ key }) => key))
    const shown = mutations
      .filter(({ key }) => !refused.has(key))
      .map((mutation): Mutation => {
        const { id, body } = queued.get(mutation.key) ?? mutation
        const state = waiting ? 'waiting' : 'pending'
        // The same object if it shows the same, so that lists do not order their rows again.
        const isSame =
          mutation.id === id && mutation.body === body && mutation.state === state && mutation.error === waiting
        if (isSame || !queued.has(mutation.key) || mutation.state === 'saved') return mutation
        const { error: _, ...rest } = mutation
        return { ...rest, id, body, state, ...(waiting && { error: waiting }) }
      })
    const adopted = writes.flatMap((write): Mutation[] => {
      const { error: _, theirs: __, ...mutation } = write
      return known.has(write.key) ? [] : [{ ...mutation, state: 'pending' }]
    })
    put([...shown, ...adopted])
  }

  /** Returns the document that a write is based on: as a list has read it, or as an earlier write left it. */
  function newest({ collection, id }: Mutation): Document | undefined {
    const read = find(collection, id) as Document | undefined
    const saved = [...mutations].reverse().find((other) => other.id === id && other.document)?.document as
      | Document
      | undefined
    return read && saved && read.updatedAt >= saved.updatedAt ? read : (saved ?? read)
  }

  const outbox = open({
    onChange: adopt,
    onSettled(key, document, isSaved, savedIn) {
      if (isSaved) save(key, document, savedIn)
      else replace(key, [])
    },
  })

  return {
    mutations: () => plain?.mutations() ?? mutations,
    turn: () => plain?.turn() ?? turn,
    async add(mutation) {
      const { key, kind, id } = mutation
      const own: Mutation = { ...mutation, id: savedIds.get(id) ?? id }
      const base = kind === 'update' ? newest(own) : undefined
      put([...mutations, own])
      try {
        await outbox.ready
        if (keepsNothing.includes(outbox.state().storage)) {
          plain ??= openPlain()
          put([])
          return await plain.add(mutation, true)
        }
        return await outbox.add(own, base)
      } catch (error) {
        replace(key, [])
        throw error
      }
    },
    state() {
      state ??= withUnkept(outbox.state(), plain?.mutations() ?? mutations)
      return state
    },
    decide: outbox.decide,
    readPage,
    writePage: outbox.writePage,
    close() {
      isClosed = true
      void outbox.close(true)
    },
  }
}

/** Adds the writes that the browser has not kept yet. */
function withUnkept(state: OutboxState, mutations: readonly Mutation[]): OutboxState {
  const { pending, sending, conflicts } = state
  const kept = new Set([...pending, ...conflicts, ...(sending ? [sending] : [])].map(({ key }) => key))
  const unkept = mutations.filter(({ key, state }) => state !== 'saved' && !kept.has(key))
  return { ...state, pending: [...pending, ...unkept.map((one) => ({ ...one, state: 'pending' as const }))] }
}
