/** Tests the memory of an open stream, by the heap's graph. */
import { text } from 'node:stream/consumers'
import { getHeapSnapshot } from 'node:v8'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { openEvents } from '../../fixtures/realtime/streams.js'
import { askerOf } from '../../fixtures/requests/ask.js'

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator({ memory: true })
})
afterAll(() => emulator.close())

interface Graph {
  readonly snapshot: { readonly meta: { node_fields: string[]; node_types: [string[]]; edge_types: [string[]] } }
  readonly nodes: readonly number[]
  readonly edges: readonly number[]
  readonly strings: readonly string[]
}

/** The pieces that hold each text under that property, of all objects of a class. */
async function readPieces(className: string, property: string): Promise<string[][]> {
  const { snapshot, nodes, edges, strings } = JSON.parse(await text(getHeapSnapshot())) as Graph
  const { node_fields: fields, node_types: types, edge_types: edgeTypes } = snapshot.meta
  const [typeAt, nameAt, countAt] = ['type', 'name', 'edge_count'].map((field) => fields.indexOf(field)) as number[]
  const at = (node: number, field = 0) => nodes[node + field] ?? 0
  const edgesFrom = new Map<number, [name: string, to: number][]>()
  // Type, name and node of each edge.
  for (let node = 0, edge = 0; node < nodes.length; node += fields.length) {
    const end = edge + 3 * at(node, countAt)
    const isWanted = strings[at(node, nameAt)] === className || types[0][at(node, typeAt)] === 'concatenated string'
    if (isWanted) {
      edgesFrom.set(
        node,
        Array.from({ length: (end - edge) / 3 }, (_, index) => {
          const place = edge + 3 * index
          const isNamed = edgeTypes[0][edges[place] ?? 0] !== 'element'
          return [isNamed ? (strings[edges[place + 1] ?? 0] ?? '') : '', edges[place + 2] ?? 0]
        }),
      )
    }
    edge = end
  }
  const pieces = (node: number): string[] => {
    const links = edgesFrom.get(node)?.filter(([name]) => name === 'first' || name === 'second')
    return links ? ['', ...links.flatMap(([, to]) => pieces(to))] : [strings[at(node, nameAt)] ?? '']
  }
  const found: string[][] = []
  for (const [node, links] of edgesFrom) {
    if (strings[at(node, nameAt)] !== className) continue
    for (const [name, to] of links) if (name === property) found.push(pieces(to))
  }
  return found
}

it('the header of a stream is held as one text', async () => {
  const ask = askerOf(emulator)
  await ask('POST', '/collections', { name: 'posts' })
  const streams = await Promise.all(
    Array.from({ length: 3 }, () =>
      openEvents(emulator.url, '/realtime/sse/posts', { 'x-api-key': emulator.secretKey ?? '' }),
    ),
  )

  const headers = await readPieces('ServerResponse', '_header')
  // Earlier responses may not be collected yet.
  const ofStreams = headers.filter((pieces) => pieces.join('').includes('text/event-stream'))

  for (const stream of streams) stream.close()
  // One that was flattened still names the text that it became, and an empty one.
  expect(ofStreams).toHaveLength(3)
  expect(Math.max(...ofStreams.map(({ length }) => length))).toBeLessThanOrEqual(3)
})
