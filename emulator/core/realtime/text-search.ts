/** Searches a text for many parts at once. The time grows only with the text, whatever the parts are. */

/** Up to this many character comparisons, searching for one part after the other is fastest. */
const fewComparisons = 50_000

/** Returns a function that finds the indexes of the parts contained in a text. */
export function searchFor(parts: readonly string[]): (text: string) => ReadonlySet<number> {
  const characters = parts.reduce((sum, { length }) => sum + length, 0)
  let automaton: Automaton | undefined
  return (text) => {
    if (text.length * characters <= fewComparisons) return oneByOne(parts, text)
    automaton ??= buildAutomaton(parts)
    return scan(automaton, text)
  }
}

function oneByOne(parts: readonly string[], text: string): ReadonlySet<number> {
  const found = new Set<number>()
  for (const [at, part] of parts.entries()) if (text.includes(part)) found.add(at)
  return found
}

/** An Aho-Corasick automaton: a trie of all parts, whose nodes have a fallback for the next character. */
interface Automaton {
  readonly parts: number
  /** The child for a node and a character. */
  readonly below: ReadonlyMap<number, number>
  /** For each node, the node of its longest proper suffix in the trie. */
  readonly fallback: readonly number[]
  /** For each node, the parts that end there. */
  readonly ending: readonly (readonly number[])[]
  /** For each node, the next node along the fallbacks at which a part ends; 0 if there is none. */
  readonly nextEnding: readonly number[]
}

const root = 0
const edgeKey = (node: number, character: number) => node * 0x1_0000 + character

function buildAutomaton(parts: readonly string[]): Automaton {
  const below = new Map<number, number>()
  const ending: number[][] = [[]]
  /** For each node, its parent and the character between them. */
  const origins: [above: number, character: number][] = [[root, 0]]
  for (const [at, part] of parts.entries()) {
    let node = root
    for (let index = 0; index < part.length; index++) {
      const character = part.charCodeAt(index)
      const key = edgeKey(node, character)
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
  return { parts: parts.length, below, ending, ...buildLinks({ below, ending, origins }) }
}

/** Goes from the top down, because a node's links lead to nodes higher up. */
function buildLinks({
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

/** Follows the next character, using fallbacks where needed. */
function step(
  below: ReadonlyMap<number, number>,
  fallback: readonly number[],
  from: number,
  character: number,
): number {
  for (let node = from; ; node = fallback[node] ?? root) {
    const next = below.get(edgeKey(node, character))
    if (next !== undefined) return next
    if (node === root) return root
  }
}

function scan({ parts, below, fallback, ending, nextEnding }: Automaton, text: string): ReadonlySet<number> {
  // Every text contains the empty part.
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
