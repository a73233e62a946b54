/** A bounded queue in which owners take turns, so an owner that asks for a lot mostly delays and displaces itself. */
export interface FairQueue<Item> {
  /**
   * Returns the item that doesn't fit: the newest of the owner with the most items waiting.
   *
   * @param owners from the outermost group to the innermost: groups take turns, and so do the owners within a group
   */
  push(owners: readonly string[], item: Item): Item | undefined
  /** Removes the oldest item of the owner whose turn it is, among the outermost groups that `mayHave` allows. */
  shift(mayHave?: (owner: string) => boolean): Item | undefined
  size(): number
}

export function openFairQueue<Item>(maxWaiting: number): FairQueue<Item> {
  const waiting = openLine<Item>()
  return {
    push(owners, item) {
      waiting.push(owners, item)
      return waiting.size() > maxWaiting ? waiting.drop(owners) : undefined
    },
    shift: waiting.shift,
    size: waiting.size,
  }
}

interface Line<Item> {
  size(): number
  push(owners: readonly string[], item: Item): void
  shift(mayHave?: (owner: string) => boolean): Item | undefined
  /** Removes the newest item of the longest line. Among equally long lines, prefers the one of these owners. */
  drop(owners: readonly string[]): Item | undefined
}

/** Holds the items of a group. Its own items take turns with those of the groups within it. */
function openLine<Item>(): Line<Item> {
  const own: Item[] = []
  /** In the order of their turns. Never holds an empty line. */
  const lines = new Map<string, Line<Item>>()
  let size = 0

  function longest(preferred: string): [string, Line<Item>] | undefined {
    const longestFirst = [...lines]
      .reverse()
      .sort(([one, a], [other, b]) => b.size() - a.size() || Number(other === preferred) - Number(one === preferred))
    return longestFirst[0]
  }

  function nextLine(mayHave: (owner: string) => boolean = () => true): [string, Line<Item>] | undefined {
    for (const turn of lines) if (mayHave(turn[0])) return turn
    return undefined
  }

  return {
    size: () => size,
    push([owner, ...within], item) {
      size++
      if (owner === undefined) {
        own.push(item)
        return
      }
      const line = lines.get(owner) ?? openLine()
      lines.set(owner, line)
      line.push(within, item)
    },
    shift(mayHave) {
      const turn = nextLine(mayHave)
      if (!turn && lines.size > 0) return undefined
      if (size > 0) size--
      if (!turn) return own.shift()
      const [owner, line] = turn
      const item = line.shift()
      lines.delete(owner)
      if (line.size() > 0) lines.set(owner, line)
      return item
    },
    drop([preferred = '', ...within]) {
      if (size > 0) size--
      const most = longest(preferred)
      if (!most) return own.pop()
      const [owner, line] = most
      const item = line.drop(within)
      if (line.size() === 0) lines.delete(owner)
      return item
    },
  }
}
