/** Many texts looked for in one, in time that grows with that one alone, whatever they are. */

/** Up to so many comparisons of characters, looking for one after the other is cheapest. */
const fewComparisons = 50_000

/** Which of the parts a text holds, by their place in the list. */
export function searchFor(parts: readonly string[]): (text: string) => ReadonlySet<number> {
  const characters = parts.reduce((sum, { length }) => sum + length, 0)
  let automaton: Automaton | undefined
  return (text) => {
    if (text.length * characters <= fewComparisons) return oneByOne(parts, text)
    automaton ??= automatonOf(parts)
    return scan(automaton, text)
  }
}

function oneByOne(parts: readonly string[], text: string): ReadonlySet<number> {
  const found = new Set<number>()
  for (const [at, part] of parts.entries()) if (text.includes(part)) found.add(at)
  return found
}

/** Aho and Corasick's: a tree of all parts, whose nodes know where to go on when the next character leads no further. */
interface Automaton {
  readonly parts: number
  /** By node and character, the node below. */
  readonly below: ReadonlyMap<number, number>
  /** Of each node, that of the longest other beginning of a part which ends here. */
  readonly fallback: readonly number[]
  /** Of each node, the parts that end there. */
  readonly ending: readonly (readonly number[])[]
  /** Of each node, the next one by way of the fallbacks where a part ends; 0 where there is none. */
  readonly nextEnding: readonly number[]
}

const root = 0
const keyOf = (node: number, character: number) => node * 0x1_0000 + character

function automatonOf(parts: readonly string[]): Automaton {
  const below = new Map<number, number>()
  const ending: number[][] = [[]]
  /** Of each node, the one above and the character between. */
  const origins: [above: number, character: number][] = [[root, 0]]
  for (const [at, part] of parts.entries()) {
    let node = root
    for (let index = 0; index < part.length; index++) {
      const character = part.charCodeAt(index)
      const key = keyOf(node, character)
      let next = below.get(key)
      if (next === undefined) {
        next = origins.push([node, character]) - 1
        ending.push([])
        below.set(key, next)
      }
      node = next
    }
    ending[node]?.push(at)
  }
  return { parts: parts.length, below, ending, ...linksOf({ below, ending, origins }) }
}

/** From the top down, since a node's links lead to nodes that are higher up. */
function linksOf({
  below,
  ending,
  origins,
}: Pick<Automaton, 'below' | 'ending'> & { readonly origins: readonly (readonly [number, number])[] }) {
  const fallback = origins.map(() => root)
  const nextEnding = origins.map(() => root)
  const depths = origins.map(() => 0)
  origins.forEach(([above], node) => {
    if (node !== root) depths[node] = (depths[above] ?? 0) + 1
  })
  const ordered = [...origins.keys()].sort((one, other) => (depths[one] ?? 0) - (depths[other] ?? 0))
  for (const node of ordered) {
    const [above, character] = origins[node] ?? [root, 0]
    if (above !== root) fallback[node] = step(below, fallback, fallback[above] ?? root, character)
    const link = fallback[node] ?? root
    nextEnding[node] = ending[link]?.length ? link : (nextEnding[link] ?? root)
  }
  return { fallback, nextEnding }
}

/** Where the next character leads. */
function step(
  below: ReadonlyMap<number, number>,
  fallback: readonly number[],
  from: number,
  character: number,
): number {
  for (let node = from; ; node = fallback[node] ?? root) {
    const next = below.get(keyOf(node, character))
    if (next !== undefined) return next
    if (node === root) return root
  }
}

function scan({ parts, below, fallback, ending, nextEnding }: Automaton, text: string): ReadonlySet<number> {
  // An empty part is in every text.
  const found = new Set<number>(ending[root])
  const isTold = new Uint8Array(ending.length)
  let node = root
  for (let at = 0; at < text.length && found.size < parts; at++) {
    node = step(below, fallback, node, text.charCodeAt(at))
    for (let end = node; end !== root && isTold[end] === 0; end = nextEnding[end] ?? root) {
      isTold[end] = 1
      for (const part of ending[end] ?? []) found.add(part)
    }
  }
  return found
}
