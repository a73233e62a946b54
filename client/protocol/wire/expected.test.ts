import { expect, it } from 'vitest'
import { decodeRecord } from './expected.js'

it('reads a time without a zone as UTC, and nothing else', () => {
  const time = '2026-11-30T18:14:52.173000'

  const record = decodeRecord({
    created_at: time,
    updatedAt: `${time}+02:00`,
    email_verified_at: null,
    name: time,
    data: { at: time },
  })

  expect(record).toEqual({
    createdAt: `${time}Z`,
    updatedAt: `${time}+02:00`,
    emailVerifiedAt: null,
    name: time,
    data: { at: time },
  })
})
