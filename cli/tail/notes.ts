/** What became of a subscription, in words. */
import type { Shown } from './open-tail.js'

/** @throws {SvcError} what ended the subscription for good: a collection that is gone may be made again, anything else ends the tail */
export function noteOf(event: Exclude<Shown, { type: 'event' }>): string {
  if (event.type !== 'ended') return notes[event.type](event.collection)
  const { error } = event
  if (error.code !== 'INVALID_COLLECTION') throw error
  return `${error.message} If there is one of that name again, it is shown.`
}

const notes = {
  lost: (collection: string) => `The connection for "${collection}" was lost; trying again.`,
  back: (collection: string) => `"${collection}" is there again; nothing was missed.`,
  again: (collection: string) => `There is a collection "${collection}" again.`,
  resync: (collection: string) => `Changes of "${collection}" were missed: they are kept no longer.`,
}
