/** Splits a list into chunks of at most `max` items, in order. */
export function* inPieces<Item>(all: readonly Item[], max: number): Generator<Item[]> {
  for (let at = 0; at < all.length; at += max) yield all.slice(at, at + max)
}
