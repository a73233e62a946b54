import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toQuery } from '../collections/list-pages.js'
import { compileSelector } from '../collections/select.js'
import type { Document, Fields } from '../protocol/model/document.js'
import type { Mutation } from './mutation.js'
import { nothingRead, openOverlay, type Read } from './overlay.js'

const at = (second: number) => new Date(second * 1_000).toISOString()

/** A write of the app, to one of the documents there are. */
type Write =
  | { readonly kind: 'create'; readonly body: Fields }
  | { readonly kind: 'update'; readonly of: number; readonly body: Fields }
  | { readonly kind: 'remove'; readonly of: number }

const anyFields = fc.record(
  { a: fc.constantFrom(0, 1, 2), b: fc.constantFrom('x', 'y'), c: fc.constantFrom(null, true, [1]) },
  { requiredKeys: [] },
)
const someWrite: fc.Arbitrary<Write> = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), body: anyFields }),
  fc.record({ kind: fc.constant('update' as const), of: fc.nat(9), body: anyFields }),
  fc.record({ kind: fc.constant('remove' as const), of: fc.nat(9) }),
)
const someQuery = fc.record({
  where: fc.constantFrom({}, { a: 1 }, { a: { gte: 1 }, b: 'x' }, { or: [{ b: 'y' }, { c: { isnull: true } }] }),
  sort: fc.constantFrom([], ['a'], ['-a', 'b'], ['b', '-createdAt'], ['c', 'id']),
})
const someStory = fc.record({
  query: someQuery,
  before: fc.array(anyFields, { maxLength: 6 }),
  writes: fc.array(someWrite, { minLength: 1, maxLength: 4 }),
  steps: fc.tuple(fc.nat(4), fc.nat(4), fc.nat(4)),
})
type Story = typeof someStory extends fc.Arbitrary<infer Value> ? Value : never

/**
 * Returns the documents of the service after each write, and the writes. Some were answered before the list was read, more
 * are answered by now, or were carried out before the read.
 */
function tell({ before, writes, steps }: Story) {
  const [answeredAtRead = 0, one = 0, other = 0] = [...steps].sort((one, other) => one - other)
  const [answered, ran] = steps[0] > steps[1] ? [one, other] : [other, one]
  let documents: readonly Document[] = before.map((data, index) => ({
    ...{ id: `old-${index}`, data },
    ...{ createdAt: at(index), updatedAt: at(index) },
  }))
  const states = [documents]
  const mutations = writes.flatMap((write, index): Mutation[] => {
    const now = at(100 + index)
    const known = write.kind === 'create' ? undefined : documents[write.of % (documents.length || 1)]
    if (write.kind !== 'create' && !known) {
      states.push(documents)
      return []
    }
    const body = bodyOf(write, index)
    const id = known?.id ?? `id-${index}`
    const document = {
      ...{ id, createdAt: known?.createdAt ?? now, updatedAt: now },
      data: { ...known?.data, ...body },
    }
    const others = documents.filter((other) => other.id !== id)
    documents = write.kind === 'remove' ? others : [...others, document]
    states.push(documents)
    return [
      {
        ...{ key: `${index}`, collection: 'posts', kind: write.kind, id, body, begunAt: now, state: 'pending' },
        ...(write.kind !== 'remove' && { document }),
        turn: index + 1,
      },
    ]
  })
  // The app sends a write after the earlier ones to the same document have been answered.
  const early = mutations.find(({ id, turn = 0 }) =>
    mutations.some((before) => before.id === id && Number(before.turn) < turn && Number(before.turn) > answered),
  )
  const carriedOut = Math.min(ran, Number(early?.turn ?? Infinity) - 1)
  return { states, mutations, answeredAtRead: Math.min(answeredAtRead, carriedOut), answered, carriedOut }
}

/** Makes each create another one. Equal ones are told apart when they are answered. */
function bodyOf(write: Write, index: number): Fields {
  if (write.kind === 'remove') return {}
  return write.kind === 'create' ? { ...write.body, n: index } : write.body
}

describe('A list with pending writes', () => {
  it('shows what the service will, wherever the read, the writes and their answers are', () => {
    fc.assert(
      fc.property(someStory, (story) => {
        const { states, mutations, answeredAtRead, answered, carriedOut } = tell(story)
        const selector = compileSelector(toQuery(story.query), { filters: 'double' })
        const list = (documents: readonly Document[] = []) => documents.filter(selector.matches).sort(selector.compare)
        const last = states.length - 1
        const read = list(states[Math.min(carriedOut, last)])
        // Writes to a document whose create has no answer carry the id that the app has given it. Here it sorts as the
        // document's own, which no app can know.
        const nameOf = (id: string) => {
          const create = mutations.find((one) => one.kind === 'create' && one.id === id)
          return create && Number(create.turn) > answered ? `${id}-new` : id
        }
        const known = mutations.map((mutation) => {
          const { document, turn, ...pending } = mutation
          const isSaved = Number(turn) <= answered
          return { ...(isSaved ? mutation : pending), id: nameOf(mutation.id) } satisfies Mutation
        })
        const overlay = openOverlay({ populated: [], selected: undefined, selector })
        const page: Read = { items: read, total: read.length, limit: 20, turn: answeredAtRead }
        overlay.receive({ ...nothingRead, items: list(states[0]) }, page, known)

        const shown = overlay.apply(page, known, (id) => states[0]?.find((one) => one.id === id))

        const expected = list(states.at(-1))
        expect(shown.items.map(({ data }) => data)).toEqual(expected.map(({ data }) => data))
        expect(shown.total).toBe(expected.length)
        expect(overlay.apply(page, known, () => undefined).items.every((row) => shown.items.includes(row))).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it('keeps to its limit, and has no document twice', () => {
    fc.assert(
      fc.property(someStory, fc.integer({ min: 1, max: 3 }), fc.nat(2), (story, limit, offset) => {
        const { states, mutations } = tell(story)
        const selector = compileSelector(toQuery(story.query), { filters: 'double' })
        const all = (states[0] ?? []).filter(selector.matches).sort(selector.compare)
        const page: Read = { items: all.slice(offset, offset + limit), total: all.length, limit, turn: 0 }
        const overlay = openOverlay({ offset, populated: [], selected: undefined, selector })

        const { items } = overlay.apply(page, mutations, (id) => all.find((one) => one.id === id))

        expect(items.length).toBeLessThanOrEqual(limit)
        expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
        const removed = mutations.filter(({ kind }) => kind === 'remove').map(({ id }) => id)
        expect(items.filter(({ id }) => removed.includes(id))).toEqual([])
      }),
    )
  })

  it('has a new document in place among 1,000, and leaves the others as they are', () => {
    const selector = compileSelector(toQuery({ sort: 'a' }), { filters: 'double' })
    const items = Array.from({ length: 1_000 }, (_, index) => ({
      ...{ id: `${index}`, data: { a: index * 2 } },
      ...{ createdAt: at(index), updatedAt: at(index) },
    }))
    const create: Mutation = {
      ...{ key: 'k', collection: 'posts', kind: 'create', id: 'new-k', body: { a: 1_001 } },
      ...{ begunAt: at(2_000), state: 'pending' },
    }
    const overlay = openOverlay({ populated: [], selected: undefined, selector })

    const shown = overlay.apply({ items, total: 1_000, limit: 2_000, turn: 0 }, [create], () => undefined)

    expect(shown.items[501]).toMatchObject({ id: 'new-k', data: { a: 1_001 } })
    expect(shown.items.filter((row) => !(items as readonly object[]).includes(row))).toHaveLength(1)
  })

  it('compares each of 1,000 new documents with a few rows', () => {
    const compiled = compileSelector(toQuery({ sort: 'a' }), { filters: 'double' })
    let compareCount = 0
    const compare: typeof compiled.compare = (one, other) => {
      compareCount++
      return compiled.compare(one, other)
    }
    const items = Array.from({ length: 100 }, (_, index) => aDocument(`${index}`, { a: index }))
    const creates = Array.from(
      { length: 1_000 },
      (_, index): Mutation => ({
        ...{ key: `${index}`, collection: 'posts', kind: 'create', id: `new-${index}`, body: { a: index / 10 } },
        ...{ begunAt: at(2_000), state: 'pending' },
      }),
    )
    const overlay = openOverlay({ populated: [], selected: undefined, selector: { ...compiled, compare } })

    const shown = overlay.apply({ items, total: 1_000, limit: 100, turn: 0 }, creates, () => undefined)

    expect(shown.items.map(({ data }) => (data as Fields).a)).toEqual(
      [...items.map(({ data }) => data.a), ...creates.map(({ body }) => body.a)]
        .sort((one, other) => Number(one) - Number(other))
        .slice(0, 100),
    )
    expect(compareCount).toBeLessThan(30_000)
  })

  it('keeps a document that a change put there, once another list has read the change', () => {
    const selector = compileSelector(toQuery({ where: { a: 2 } }), { filters: 'double' })
    const update: Mutation = {
      ...{ key: 'k', collection: 'posts', kind: 'update', id: 'x', body: { a: 2 } },
      ...{ begunAt: at(5), state: 'pending' },
    }
    const changed = { ...aDocument('x', { a: 2 }), updatedAt: at(6) }
    const saved: Mutation = { ...update, state: 'saved', document: changed, turn: 1 }
    const overlay = openOverlay({ populated: [], selected: undefined, selector })
    const page: Read = { items: [], total: 0, limit: 20, turn: 0 }

    const before = overlay.apply(page, [update], () => aDocument('x', { a: 1 }))
    const after = overlay.apply(page, [saved], () => changed)

    for (const { items, total } of [before, after]) {
      expect(items).toMatchObject([{ id: 'x', data: { a: 2 } }])
      expect(total).toBe(1)
    }
  })
})

function aDocument(id: string, data: Fields): Document {
  return { id, data, createdAt: at(1), updatedAt: at(1) }
}
