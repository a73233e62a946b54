import { expect } from 'vitest'
import { expectFailure, expectStatus, someDocuments, type Wire } from '../../fixtures/wires.js'

/** Expects that a field with this rule takes the good values in every kind of write, and refuses the bad ones at its place. */
export async function expectValues(
  wire: Wire,
  rule: object,
  good: readonly unknown[],
  bad: readonly unknown[],
): Promise<void> {
  const { api, posts } = await someDocuments(wire, [], { schema: { field: rule } })
  const { id } = await posts.create({})

  for (const field of good) {
    expect((await posts.create({ field })).fields).toEqual({ field })
    expectStatus(200, await api.patch(`/collections/posts/${id}`, { field }))
  }
  const { fields: before } = await posts.get(id)
  for (const field of bad) {
    for (const answer of [
      await api.post('/collections/posts', { field }),
      await api.patch(`/collections/posts/${id}`, { field }),
      await api.put(`/collections/posts/${id}`, { field }),
    ]) {
      expectFailure(answer, 422, 'VALIDATION_ERROR')
      expect(answer.text).toContain('"loc":["body","field"')
    }
  }
  expect((await posts.get(id)).fields).toEqual(before)
}
