import { expect, it } from 'vitest'
import { boxHeight, boxWidth, draw, labelHeight, measureLabel } from './drawing.js'

/** `a > b` is a field of a that links to b. */
function drawn(text: string, ...lone: string[]) {
  const edges = text.split(', ').map((each) => {
    const [from = '', to = ''] = each.split(' > ')
    return { from, to, label: `${from}.${to}` }
  })
  const names = [...new Set([...edges.flatMap(({ from, to }) => [from, to]), ...lone])]
  return draw(names, edges)
}

const graphs = [
  'a > b, b > c, c > a',
  'a > b, b > a',
  'a > a, a > b, b > b, c > b',
  'a > b, b > c, a > c, d > c, d > a',
  'constructor > toString, toString > hasOwnProperty',
]

it.each(graphs)('draws %s without overlapping boxes, each arrow from box to box', (text) => {
  const { boxes, arrows, width, height } = drawn(text, 'lone', 'other')
  const corners = [...boxes.values()]

  for (const [at, { x, y }] of corners.entries()) {
    expect(x >= 0 && y >= 0 && x + boxWidth <= width && y + boxHeight <= height).toBe(true)
    for (const other of corners.slice(at + 1)) {
      expect(Math.abs(x - other.x) >= boxWidth || Math.abs(y - other.y) >= boxHeight).toBe(true)
    }
  }
  expect(arrows).toHaveLength(text.split(', ').length)
  for (const { edge, path } of arrows) {
    const numbers = path.match(/-?[\d.]+/g)?.map(Number) ?? []
    expect(isAtEdge(boxes.get(edge.from), numbers.slice(0, 2))).toBe(true)
    expect(isAtEdge(boxes.get(edge.to), numbers.slice(-2))).toBe(true)
  }
})

it('separates the two arrows of boxes that link to each other', () => {
  const [one, other] = drawn('a > b, b > a').arrows.map(({ label }) => label.y)

  expect(one).not.toBe(other)
})

it('draws links from left to right, and corners a box without incoming links next to its target', () => {
  const { boxes } = drawn('comments > posts, posts > authors, notes > authors')
  const x = (name: string) => boxes.get(name)?.x ?? -1

  expect(x('comments')).toBeLessThan(x('posts'))
  expect(x('posts')).toBeLessThan(x('authors'))
  expect(x('notes')).toBe(x('posts'))
})

it('keeps the labels of arrows apart', () => {
  const { arrows } = drawn('a > c, b > c, a > d, b > d, e > c, e > d')

  for (const [at, { edge, label }] of arrows.entries()) {
    for (const other of arrows.slice(at + 1)) {
      const width = (measureLabel(edge.label) + measureLabel(other.edge.label)) / 2
      const isApart = Math.abs(label.x - other.label.x) >= width || Math.abs(label.y - other.label.y) >= labelHeight
      expect(isApart).toBe(true)
    }
  }
})

function isAtEdge(box: { x: number; y: number } | undefined, [x = -1, y = -1]: number[]): boolean {
  if (!box) return false
  const isWithin = (value: number, from: number, size: number) => value >= from - 0.01 && value <= from + size + 0.01
  const isAt = (value: number, from: number, size: number) =>
    [from, from + size].some((side) => Math.abs(value - side) < 0.01)
  if (!isWithin(x, box.x, boxWidth) || !isWithin(y, box.y, boxHeight)) return false
  return isAt(x, box.x, boxWidth) || isAt(y, box.y, boxHeight)
}
