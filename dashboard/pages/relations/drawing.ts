/** Where each box and arrow of the graph is, in pixels. */
import { type Chain, type Edge, layersOf, mean, type Node, neighboursOf } from './layers.js'

export const boxWidth = 176
export const boxHeight = 36
const columnGap = 144
const rowGap = 20
const passageHeight = 8
const passageGap = 12
/** Above a box that leads to itself. */
const loopHeight = 24
const labelHeight = 16
/** Of its typeface, which has one width for all. */
const characterWidth = 7.2
const labelMargin = 10
/** Words stay so near to where their arrow begins. */
const mostRise = 8

export interface Arrow<Each extends Named> {
  readonly edge: Each
  readonly path: string
  readonly label: Label
}

/** Words at the beginning of an arrow, where it leads away from its box. */
export interface Label {
  readonly words: string
  readonly x: number
  readonly y: number
  readonly anchor: 'start' | 'end'
}

export interface Named extends Edge {
  readonly label: string
}

export interface Drawing<Each extends Named> {
  /** The left upper corners. */
  readonly boxes: ReadonlyMap<string, { readonly x: number; readonly y: number }>
  readonly arrows: readonly Arrow<Each>[]
  readonly width: number
  readonly height: number
  /** Where the boxes begin that no arrow leads to or from. */
  readonly loneFrom: number | undefined
}

export function draw<Each extends Named>(names: readonly string[], edges: readonly Each[]): Drawing<Each> {
  const loops = edges.filter(({ from, to }) => from === to)
  const others = edges.filter(({ from, to }) => from !== to)
  const linked = new Set(edges.flatMap(({ from, to }) => [from, to]))
  const { columns, chains } = layersOf(
    names.filter((name) => linked.has(name)),
    others,
  )
  const looping = new Set(loops.map(({ from }) => from))
  const centres = centresOf(columns, chains, looping)
  const boxes = new Map<string, { x: number; y: number }>()
  for (const [column, nodes] of columns.entries()) {
    for (const { id, isPassage } of nodes) {
      if (!isPassage) boxes.set(id, { x: xOf(column), y: (centres.get(id) ?? 0) - boxHeight / 2 })
    }
  }
  const bottom = Math.max(0, ...[...centres.values()].map((centre) => centre + boxHeight / 2))
  const lone = names.filter((name) => !linked.has(name))
  const loneFrom = lone.length === 0 ? undefined : bottom + 2 * rowGap
  const perRow = Math.max(columns.length, 4)
  for (const [at, name] of lone.entries()) {
    const row = Math.floor(at / perRow)
    const x = (at % perRow) * (boxWidth + rowGap)
    boxes.set(name, { x, y: bottom + 3 * rowGap + row * (boxHeight + rowGap) })
  }
  const corners = [...boxes.values()]
  const columnOf = new Map(columns.flatMap((nodes, column) => nodes.map(({ id }) => [id, column] as const)))
  return {
    ...{ boxes, loneFrom },
    arrows: withLabelsApart([
      ...arrowsOf(chains, centres, columnOf),
      ...loops.map((edge) => loopOf(edge, boxes.get(edge.from) ?? { x: 0, y: 0 })),
    ]),
    width: Math.max(0, ...corners.map(({ x }) => x + boxWidth)),
    height: Math.max(0, ...corners.map(({ y }) => y + boxHeight)),
  }
}

function xOf(column: number): number {
  return column * (boxWidth + columnGap)
}

/** The middles of all nodes: near those of their neighbours, and never one over the other. */
function centresOf(
  columns: readonly (readonly Node[])[],
  chains: readonly Chain<Edge>[],
  looping: ReadonlySet<string>,
) {
  const neighbours = neighboursOf(chains)
  const centres = new Map<string, number>()
  const above = ({ id, isPassage }: Node) =>
    isPassage ? passageHeight / 2 : boxHeight / 2 + (looping.has(id) ? loopHeight : 0)
  const below = ({ isPassage }: Node) => (isPassage ? passageHeight : boxHeight) / 2
  const settle = (column: readonly Node[]) => {
    let end = Number.NEGATIVE_INFINITY
    const shifts: number[] = []
    for (const node of column) {
      const near = (neighbours.get(node.id) ?? []).flatMap((other) => centres.get(other) ?? [])
      const wanted = near.length === 0 ? (centres.get(node.id) ?? 0) : mean(near)
      const centre = Math.max(wanted, end + (node.isPassage ? passageGap : rowGap) + above(node))
      shifts.push(wanted - centre)
      centres.set(node.id, centre)
      end = centre + below(node)
    }
    if (shifts.length === 0) return
    for (const { id } of column) centres.set(id, (centres.get(id) ?? 0) + mean(shifts))
  }
  for (const column of columns) settle(column)
  for (const column of columns.toReversed()) settle(column)
  for (const column of columns) settle(column)
  const nodes = columns.flat()
  const top = Math.min(...nodes.map((node) => (centres.get(node.id) ?? 0) - above(node)))
  for (const { id } of nodes) centres.set(id, Math.round((centres.get(id) ?? 0) - top))
  return centres
}

type Point = readonly [x: number, y: number]

/**
 * Arrows to several places at one side of a box are a little apart, in the order of where they lead. Of two boxes that lead
 * to each other, both arrows are seen.
 */
function portsOf(chains: readonly Chain<Edge>[], centres: ReadonlyMap<string, number>) {
  const sides = new Map<string, Map<string, number>>()
  const add = (side: string, towards = '', isReversed = false) => {
    const known = sides.get(side) ?? new Map<string, number>()
    sides.set(side, known.set(keyOf(towards, isReversed), centres.get(towards) ?? 0))
  }
  for (const { nodes, isReversed } of chains) {
    add(`right ${nodes[0]}`, nodes[1], isReversed)
    add(`left ${nodes.at(-1)}`, nodes.at(-2), isReversed)
  }
  return (side: string, towards = '', isReversed = false): number => {
    const all = [...(sides.get(side) ?? [])].sort(([, one], [, other]) => one - other).map(([key]) => key)
    const step = Math.min(12, (boxHeight - 12) / Math.max(all.length, 1))
    return (all.indexOf(keyOf(towards, isReversed)) - (all.length - 1) / 2) * step
  }
}

function keyOf(towards: string, isReversed: boolean): string {
  return `${isReversed ? '<' : '>'}${towards}`
}

function arrowsOf<Each extends Named>(
  chains: readonly Chain<Each>[],
  centres: ReadonlyMap<string, number>,
  columnOf: ReadonlyMap<string, number>,
): Arrow<Each>[] {
  const portOf = portsOf(chains, centres)
  return chains.map(({ edge, nodes, isReversed }) => {
    const points = nodes.flatMap((id, place): Point[] => {
      const x = xOf(columnOf.get(id) ?? 0)
      const y = centres.get(id) ?? 0
      if (place === 0) return [[x + boxWidth, y + portOf(`right ${id}`, nodes[1], isReversed)]]
      if (place === nodes.length - 1) return [[x, y + portOf(`left ${id}`, nodes.at(-2), isReversed)]]
      return [
        [x, y],
        [x + boxWidth, y],
      ]
    })
    const along = isReversed ? points.toReversed() : points
    return { edge, path: pathOf(along), label: labelOf(edge.label, along) }
  })
}

function labelOf(words: string, [start = [0, 0], next = start]: readonly Point[]): Label {
  const isRightward = next[0] > start[0]
  const reach = Math.min((labelMargin + widthOf(words) / 2) / columnGap, 0.5)
  const x = start[0] + (isRightward ? labelMargin : -labelMargin)
  // Where the arrow is by then, as it leaves level and arrives level; beside the box even where it is steep.
  const rise = (3 * reach ** 2 - 2 * reach ** 3) * (next[1] - start[1])
  const y = start[1] + Math.max(-mostRise, Math.min(rise, mostRise))
  return { words, x, y, anchor: isRightward ? 'start' : 'end' }
}

function widthOf(words: string): number {
  return words.length * characterWidth
}

function pathOf(points: readonly Point[]): string {
  return points
    .map(([x, y], at) => {
      const before = points[at - 1]
      if (!before) return `M ${x} ${y}`
      const middle = (before[0] + x) / 2
      return `C ${middle} ${before[1]} ${middle} ${y} ${x} ${y}`
    })
    .join(' ')
}

function loopOf<Each extends Named>(edge: Each, { x, y }: { x: number; y: number }): Arrow<Each> {
  const [from, to] = [x + boxWidth - 44, x + boxWidth - 16]
  const path = `M ${from} ${y} C ${from} ${y - loopHeight} ${to} ${y - loopHeight} ${to} ${y}`
  return {
    edge,
    path,
    label: { words: edge.label, x: from - labelMargin / 2, y: y - labelHeight / 2 - 2, anchor: 'end' },
  }
}

/** Words that would stand on others move down. */
function withLabelsApart<Each extends Named>(arrows: readonly Arrow<Each>[]): Arrow<Each>[] {
  const placed: Label[] = []
  return arrows
    .toSorted((one, other) => one.label.y - other.label.y)
    .map((arrow) => {
      let { label } = arrow
      for (const before of placed) {
        if (isBeside(before, label)) label = { ...label, y: Math.max(label.y, before.y + labelHeight) }
      }
      placed.push(label)
      placed.sort((one, other) => one.y - other.y)
      return { ...arrow, label }
    })
}

/** Whether one is above or below the other, at whatever distance. */
function isBeside(one: Label, other: Label): boolean {
  const [left, right] = edgesOf(one)
  const [otherLeft, otherRight] = edgesOf(other)
  return left < otherRight && otherLeft < right
}

function edgesOf({ x, words, anchor }: Label): [left: number, right: number] {
  return anchor === 'start' ? [x, x + widthOf(words)] : [x - widthOf(words), x]
}
