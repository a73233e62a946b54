/** Groups items by key. Groups are in the order of their first item. */
export function grouped<Item, Key>(items: Iterable<Item>, readKey: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = readKey(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}
