import { expect, it } from 'vitest'
import { boxHeight, boxWidth, draw } from './drawing.js'

/** `a > b` is a field of a that leads to b. */
function drawn(text: string, ...lone: string[]) {
  const edges = text.split(', ').map((each) => {
    const [from = '', to = ''] = each.split(' > ')
    return { from, to, label: `${from}.${to}` }
  })
  const names = [...new Set([...edges.flatMap(({ from, to }) => [from, to]), ...lone])]
  return draw(names, edges)
}

const circles = [
  'a > b, b > c, c > a',
  'a > b, b > a',
  'a > a, a > b, b > b, c > b',
  'a > b, b > c, a > c, d > c, d > a',
]

it.each(circles)('draws %s without one box over another, each arrow from box to box', (text) => {
  const { boxes, arrows, width, height } = drawn(text, 'lone', 'other')
  const places = [...boxes.values()]

  for (const [at, { x, y }] of places.entries()) {
    expect(x >= 0 && y >= 0 && x + boxWidth <= width && y + boxHeight <= height).toBe(true)
    for (const other of places.slice(at + 1)) {
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

it('parts the arrows of two boxes that lead to each other', () => {
  const [one, other] = drawn('a > b, b > a').arrows.map(({ path }) => path.split(' ').at(2))

  expect(one).not.toBe(other)
})

it('leads from left to right, and puts what nothing leads to beside what it leads to', () => {
  const { boxes } = drawn('comments > posts, posts > authors, notes > authors')
  const x = (name: string) => boxes.get(name)?.x ?? -1

  expect(x('comments')).toBeLessThan(x('posts'))
  expect(x('posts')).toBeLessThan(x('authors'))
  expect(x('notes')).toBe(x('posts'))
})

it('keeps the words of arrows apart', () => {
  const { arrows } = drawn('a > c, b > c, a > d, b > d, e > c, e > d')
  const labels = arrows.map(({ label }) => label)

  for (const [at, { x, y }] of labels.entries()) {
    for (const other of labels.slice(at + 1)) expect(x !== other.x || Math.abs(y - other.y) >= 15.9).toBe(true)
  }
})

function isAtEdge(box: { x: number; y: number } | undefined, [x = -1, y = -1]: number[]): boolean {
  if (!box) return false
  const isInside = x >= box.x && x <= box.x + boxWidth && y >= box.y && y <= box.y + boxHeight
  return isInside && (x === box.x || x === box.x + boxWidth || y === box.y)
}
