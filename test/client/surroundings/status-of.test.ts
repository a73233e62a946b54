import { expect, it } from 'vitest'
import { type ErrorCode, httpStatus, SvcError } from '../../../client/protocol/model/errors.js'

it('a code that no error has, such as a name that all objects have, stands for no status', () => {
  for (const code of ['constructor', '__proto__', 'toString', 'OTHER']) {
    expect(httpStatus(new SvcError(code as ErrorCode, 'It failed.'))).toBe(0)
  }
  expect(httpStatus(new SvcError('NOT_FOUND', 'It failed.'))).toBe(404)
})

it('an error of another copy of the client is an instance, and nothing that only looks like one', async () => {
  const copy = new URL('../../../dist/client/index.js', import.meta.url).href
  const { SvcError: Other } = await import(/* @vite-ignore */ copy)
  class Own extends SvcError {}

  expect(Other).not.toBe(SvcError)
  expect(new Other('NOT_FOUND', 'It is gone.')).toBeInstanceOf(SvcError)
  expect(new SvcError('NOT_FOUND', 'It is gone.')).toBeInstanceOf(Other)
  expect(new Own('NOT_FOUND', 'It is gone.')).toBeInstanceOf(Own)
  for (const not of [
    new SvcError('NOT_FOUND', 'It is gone.') instanceof Own,
    { name: 'SvcError' } instanceof SvcError,
  ]) {
    expect(not).toBe(false)
  }
})
