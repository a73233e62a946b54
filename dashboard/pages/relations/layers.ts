/** Boxes in columns, so that arrows lead from left to right wherever there is no circle. */
import { grouped } from '../../parts/grouped.js'

export interface Edge {
  readonly from: string
  readonly to: string
}

export interface Node {
  readonly id: string
  /** Nothing but a place where an arrow passes a column. */
  readonly isPassage: boolean
}

/** An edge with the nodes that it leads through, from its left end to its right one. */
export interface Chain<Each extends Edge> {
  readonly edge: Each
  readonly nodes: readonly string[]
  /** It leads from right to left. */
  readonly isReversed: boolean
}

export interface Layers<Each extends Edge> {
  readonly columns: readonly (readonly Node[])[]
  readonly chains: readonly Chain<Each>[]
}

/** @param edges none that leads to where it begins */
export function layersOf<Each extends Edge>(names: readonly string[], edges: readonly Each[]): Layers<Each> {
  const reversed = backEdges(names, edges)
  const forward = edges.map((edge) => {
    const isReversed = reversed.has(edge)
    return { edge, isReversed, left: isReversed ? edge.to : edge.from, right: isReversed ? edge.from : edge.to }
  })
  const ranks = ranksOf(names, forward)
  const columns: Node[][] = Array.from({ length: Math.max(0, ...ranks.values()) + 1 }, () => [])
  for (const name of names) columns[ranks.get(name) ?? 0]?.push({ id: name, isPassage: false })
  const known = new Set<string>()
  const chains = forward.map(({ edge, isReversed, left, right }) => {
    const passages: string[] = []
    for (let rank = (ranks.get(left) ?? 0) + 1; rank < (ranks.get(right) ?? 0); rank++) {
      // Arrows that lead to one box pass a column at one place.
      const id = `${isReversed ? '<' : '>'}${edge.to}/${rank}`
      if (!known.has(id)) columns[rank]?.push({ id, isPassage: true })
      known.add(id)
      passages.push(id)
    }
    return { edge, isReversed, nodes: [left, ...passages, right] }
  })
  return { columns: ordered(columns, chains), chains }
}

/** Those that close a circle, when one goes along the edges in their order. */
function backEdges<Each extends Edge>(names: readonly string[], edges: readonly Each[]): ReadonlySet<Each> {
  const leaving = grouped(edges, ({ from }) => from)
  const found = new Set<Each>()
  const state = new Map<string, 'open' | 'done'>()
  const visit = (name: string) => {
    state.set(name, 'open')
    for (const edge of leaving.get(name) ?? []) {
      const there = state.get(edge.to)
      if (there === 'open') found.add(edge)
      else if (there === undefined) visit(edge.to)
    }
    state.set(name, 'done')
  }
  for (const name of names) if (!state.has(name)) visit(name)
  return found
}

/** Each as far to the left as it may be, and what nothing leads to just before what it leads to. */
function ranksOf(
  names: readonly string[],
  edges: readonly { readonly left: string; readonly right: string }[],
): ReadonlyMap<string, number> {
  const before = grouped(edges, ({ right }) => right)
  const after = grouped(edges, ({ left }) => left)
  const ranks = new Map<string, number>()
  const rankOf = (name: string): number => {
    const known = ranks.get(name)
    if (known !== undefined) return known
    const rank = Math.max(-1, ...(before.get(name) ?? []).map(({ left }) => rankOf(left))) + 1
    ranks.set(name, rank)
    return rank
  }
  for (const name of names) rankOf(name)
  for (const name of names) {
    const next = (after.get(name) ?? []).map(({ right }) => rankOf(right))
    if (!before.has(name) && next.length > 0) ranks.set(name, Math.min(...next) - 1)
  }
  return ranks
}

const sweeps = 6

/** The nodes of each column by where their neighbours are, so that few arrows cross. */
function ordered(columns: readonly Node[][], chains: readonly Chain<Edge>[]): Node[][] {
  const neighbours = neighboursOf(chains)
  const order = columns.map((column) => [...column])
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isRightward = sweep % 2 === 0
    const indexes = isRightward ? order.keys() : [...order.keys()].reverse()
    for (const index of indexes) {
      const beside = order[index + (isRightward ? -1 : 1)]
      const column = order[index]
      if (!beside || !column) continue
      const place = new Map(beside.map(({ id }, at) => [id, at]))
      const weights = new Map(
        column.map(({ id }, at) => {
          const places = (neighbours.get(id) ?? []).flatMap((other) => place.get(other) ?? [])
          return [id, places.length === 0 ? at : mean(places)]
        }),
      )
      column.sort((one, other) => (weights.get(one.id) ?? 0) - (weights.get(other.id) ?? 0))
    }
  }
  return order
}

/** What stands beside a node on its arrows. */
export function neighboursOf(chains: readonly Chain<Edge>[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  const add = (id: string, other: string) => found.set(id, [...(found.get(id) ?? []), other])
  for (const { nodes } of chains) {
    for (const [at, id] of nodes.entries()) {
      const next = nodes[at + 1]
      if (next === undefined) continue
      add(id, next)
      add(next, id)
    }
  }
  return found
}

export function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length
}
