/** Cuts a list into pieces of at most so many items, in order. */
export function* inPieces<Item>(all: readonly Item[], max: number): Generator<Item[]> {
  for (let at = 0; at < all.length; at += max) yield all.slice(at, at + max)
}
