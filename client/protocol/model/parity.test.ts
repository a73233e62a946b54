import { expect, it } from 'vitest'
import { findAcceptance } from './parity.js'

it('accepts a difference by its case and part, up to the last day and not after it', () => {
  const accepted = [
    { id: 'keys.wrong', part: 'status', reason: 'Known.', until: '2026-12-01' },
    { id: 'keys.wrong', part: 'rows', reason: 'Other.', until: '2026-12-31' },
  ]
  const find = (part: string, time: string) => findAcceptance(accepted, { id: 'keys.wrong', part }, new Date(time))

  expect(find('status', '2026-12-01T23:59:59.000Z')).toEqual({ reason: 'Known.', until: '2026-12-01' })
  expect(find('status', '2026-12-02T00:00:00.000Z')).toBeNull()
  expect(find('rows', '2026-12-02T00:00:00.000Z')).toEqual({ reason: 'Other.', until: '2026-12-31' })
  expect(find('order', '2026-12-01T00:00:00.000Z')).toBeNull()
})
