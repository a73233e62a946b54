/** Describes changes of a subscription. */
import type { Shown } from './open-tail.js'

/** @throws {SvcError} the failure that ends the tail. A deleted collection does not, because it may be created again. */
export function describeNote(event: Exclude<Shown, { type: 'event' }>): string {
  if (event.type !== 'ended') return notes[event.type](event.collection)
  const { error } = event
  if (error.code !== 'INVALID_COLLECTION') throw error
  return `${error.message} If it is created again, its events are shown.`
}

const notes = {
  lost: (collection: string) => `Lost the connection for "${collection}". Reconnecting.`,
  back: (collection: string) => `Reconnected "${collection}". No events were missed.`,
  again: (collection: string) => `Collection "${collection}" was created again.`,
  resync: (collection: string) => `Some changes of "${collection}" were missed, because they are no longer kept.`,
}
