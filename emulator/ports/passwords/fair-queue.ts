/** A bounded queue in which owners take turns: whoever asks for much delays and displaces mostly itself. */
export interface FairQueue<Item> {
  /** Answers the item that has no room: of the owner with the most waiting, the newest. */
  push(owner: string, item: Item): Item | undefined
  /** The oldest item of the owner whose turn it is. */
  shift(): Item | undefined
}

export function openFairQueue<Item>(mostWaiting: number): FairQueue<Item> {
  /** By owner, in the order of their turns; nobody is in it without an item. */
  const waiting = new Map<string, Item[]>()
  let size = 0

  function longest(owner: string): Item[] {
    let most = waiting.get(owner) ?? []
    for (const items of waiting.values()) if (items.length > most.length) most = items
    return most
  }

  return {
    push(owner, item) {
      const own = waiting.get(owner) ?? []
      waiting.set(owner, own)
      own.push(item)
      if (size < mostWaiting) {
        size++
        return undefined
      }
      const displaced = longest(owner).pop()
      if (own.length === 0) waiting.delete(owner)
      return displaced
    },
    shift() {
      for (const [owner, items] of waiting) {
        const item = items.shift()
        waiting.delete(owner)
        if (items.length > 0) waiting.set(owner, items)
        size--
        return item
      }
      return undefined
    },
  }
}
