import { expect, it } from 'vitest'
import { type ErrorCode, SvcError, statusOf } from '../../../client/protocol/model/errors.js'

it('a code that no error has, such as a name that all objects have, stands for no status', () => {
  for (const code of ['constructor', '__proto__', 'toString', 'OTHER']) {
    expect(statusOf(new SvcError(code as ErrorCode, 'It failed.'))).toBe(0)
  }
  expect(statusOf(new SvcError('NOT_FOUND', 'It failed.'))).toBe(404)
})
