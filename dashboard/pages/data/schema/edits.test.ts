import { expect, test } from 'vitest'
import { withOption } from './edits.js'

test('an option that is false is left out, but false may be a default', () => {
  const rule = { type: 'boolean', required: true } as const

  expect(withOption(rule, 'required', false)).toEqual({ type: 'boolean' })
  expect(withOption(rule, 'default', false)).toEqual({ type: 'boolean', required: true, default: false })
  expect(withOption({ ...rule, default: false }, 'default', undefined)).toEqual(rule)
})
