/** Returns the closest word, if one is close enough to be meant. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const wanted = word.toLowerCase()
  let best: { word: string; distance: number } | undefined
  for (const candidate of words) {
    const distance = editDistance(wanted, candidate.toLowerCase())
    const isClose = distance <= Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3))
    if (isClose && (!best || distance < best.distance)) best = { word: candidate, distance }
  }
  return best?.word
}

/** Counts letters to insert, remove, replace, or swap with their neighbour. */
function editDistance(one: string, other: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforePrevious[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforePrevious = previous
    previous = current
  }
  return previous[other.length] ?? 0
}
