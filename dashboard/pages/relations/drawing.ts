/** Positions of the graph's boxes, arrows, and labels, in pixels. dagre decides the layout. */
import { Graph, type GraphLabel, layout, type Point } from '@dagrejs/dagre'

export const boxWidth = 176
export const boxHeight = 36
const gap = 20
/** Above a box that links to itself. */
const loopHeight = 24
const portMargin = 8
export const labelHeight = 16
/** The label font is monospaced. */
const characterWidth = 7.2

export interface Edge {
  readonly from: string
  readonly to: string
  readonly label: string
}

interface Sized {
  readonly width: number
  readonly height: number
}

/** The layout sets these. */
const unplaced: Point = { x: 0, y: 0 }

interface Arrow<Each extends Edge> {
  readonly edge: Each
  readonly path: string
  /** The middle of the label. */
  readonly label: Point
}

interface Drawing<Each extends Edge> {
  /** The upper left corners. */
  readonly boxes: ReadonlyMap<string, Point>
  readonly arrows: readonly Arrow<Each>[]
  readonly width: number
  readonly height: number
  /** The y position below which the boxes without arrows begin. */
  readonly loneFrom: number | undefined
}

/** Names of collections may be names of object properties, such as constructor. */
const toNodeId = (name: string) => `.${name}`

export function draw<Each extends Edge>(names: readonly string[], edges: readonly Each[]): Drawing<Each> {
  const loops = new Set(edges.flatMap(({ from, to }) => (from === to ? [from] : [])))
  const linked = new Set(edges.flatMap(({ from, to }) => [from, to]))
  const graph = new Graph<GraphLabel, Sized & Point, Sized & Point & { points: Point[]; labelpos: 'c' }>()
  graph.setGraph({ rankdir: 'LR', nodesep: gap, edgesep: gap, ranksep: 2 * gap })
  for (const name of linked) {
    // dagre centers boxes, so there is as much room below.
    const height = boxHeight + (loops.has(name) ? 2 * loopHeight : 0)
    graph.setNode(toNodeId(name), { width: boxWidth, height, ...unplaced })
  }
  for (const { from, to, label } of edges) {
    if (from === to) continue
    graph.setEdge(toNodeId(from), toNodeId(to), {
      width: measureLabel(label),
      height: labelHeight,
      labelpos: 'c',
      points: [],
      ...unplaced,
    })
  }
  layout(graph)
  const { width = 0, height = 0 } = graph.graph()
  const boxes = new Map([...linked].map((name) => [name, toCorner(graph.node(toNodeId(name)))]))
  const arrows = edges.map((edge) => {
    const { from, to } = edge
    const [start = unplaced, end = unplaced] = [boxes.get(from), boxes.get(to)]
    if (from === to) return drawLoop(edge, start)
    const { points, x, y } = graph.edge(toNodeId(from), toNodeId(to))
    // The first and the last point are at any edge of the box, which may be above or below.
    const inner = points.slice(1, -1)
    const [first = unplaced, last = first] = [inner[0], inner.at(-1)]
    return { edge, path: pathThrough([findPort(start, first), ...inner, findPort(end, last)]), label: { x, y } }
  })
  const lone = names.filter((name) => !linked.has(name))
  if (lone.length === 0) return { boxes, arrows, width, height, loneFrom: undefined }
  const loneFrom = height + 2 * gap
  const perRow = Math.max(4, Math.floor(width / (boxWidth + gap)))
  for (const [at, name] of lone.entries()) {
    const row = Math.floor(at / perRow)
    boxes.set(name, { x: (at % perRow) * (boxWidth + gap), y: loneFrom + gap + row * (boxHeight + gap) })
  }
  const corners = [...boxes.values()]
  return {
    ...{ boxes, arrows, loneFrom },
    width: Math.max(width, ...corners.map(({ x }) => x + boxWidth)),
    height: Math.max(...corners.map(({ y }) => y + boxHeight)),
  }
}

export function measureLabel(label: string): number {
  return label.length * characterWidth
}

function toCorner({ x, y }: Point): Point {
  return { x: x - boxWidth / 2, y: y - boxHeight / 2 }
}

/** The point of a box's side that is nearest to the arrow's next point. */
function findPort(corner: Point, next: Point): Point {
  const isRightward = next.x > corner.x + boxWidth / 2
  const y = Math.min(Math.max(next.y, corner.y + portMargin), corner.y + boxHeight - portMargin)
  return { x: corner.x + (isRightward ? boxWidth : 0), y }
}

/** A curve through all points, level at each of them. */
function pathThrough([first = unplaced, ...rest]: readonly Point[]): string {
  let before = first
  const curves = rest.map((point) => {
    const middle = (before.x + point.x) / 2
    const curve = `C ${middle} ${before.y} ${middle} ${point.y} ${point.x} ${point.y}`
    before = point
    return curve
  })
  return [`M ${first.x} ${first.y}`, ...curves].join(' ')
}

/** An arc above the box, with the label at its left. dagre's own loops do not touch the box. */
function drawLoop<Each extends Edge>(edge: Each, { x, y }: Point): Arrow<Each> {
  const [from, to] = [x + boxWidth - 44, x + boxWidth - 16]
  return {
    edge,
    path: `M ${from} ${y} C ${from} ${y - loopHeight} ${to} ${y - loopHeight} ${to} ${y}`,
    label: { x: from - portMargin - measureLabel(edge.label) / 2, y: y - loopHeight / 2 },
  }
}
