import { expect, test } from 'vitest'
import { SvcError } from '../../client/protocol/model/errors.js'
import { DatabaseError } from '../database/port.js'
import { StorageError } from '../ports/files/port.js'
import { asSvcError, needsOperator } from './failures.js'

test.each([
  [new DatabaseError('', '08006'), { code: 'UNAVAILABLE', retryAfterSeconds: 1 }],
  [
    new DatabaseError('', '08007'),
    { code: 'UNAVAILABLE', message: expect.stringContaining('may or may not have been saved') },
  ],
  [new DatabaseError('', '28P01'), { code: 'UNAVAILABLE', retryAfterSeconds: 1 }],
  [new DatabaseError('', '57P01'), { code: 'UNAVAILABLE' }],
  [new DatabaseError('', '55P03'), { code: 'UNAVAILABLE' }],
  [new DatabaseError('', '40001'), { code: 'UNAVAILABLE', retryAfterSeconds: 1 }],
  [new DatabaseError('', '40P01'), { code: 'UNAVAILABLE', retryAfterSeconds: 1 }],
  [new DatabaseError('', '53300'), { code: 'UNAVAILABLE', retryAfterSeconds: 1 }],
  [new DatabaseError('', '53100'), { code: 'UNAVAILABLE', retryAfterSeconds: 5 }],
  [
    new DatabaseError('', '53100', { kind: 'disk nearly full' }),
    { code: 'UNAVAILABLE', message: expect.stringContaining('nearly full'), retryAfterSeconds: 5 },
  ],
  [new DatabaseError('', '54000', { kind: 'result too large' }), { code: 'RESULT_TOO_LARGE' }],
  [new DatabaseError('', '57014'), { code: 'UNAVAILABLE', message: expect.stringContaining('took too long') }],
  [new DatabaseError('', '23505', { constraint: 'users_email' }), { code: 'EMAIL_ALREADY_EXISTS' }],
  [new DatabaseError('', '23505', { constraint: 'collections_project_id_name_key' }), { code: 'COLLECTION_EXISTS' }],
  [new DatabaseError('', '23503', { constraint: 'users_project_id_fkey' }), { code: 'NOT_FOUND' }],
  [
    new StorageError('full', ''),
    { code: 'UNAVAILABLE', message: expect.stringContaining('Free some space'), retryAfterSeconds: 5 },
  ],
  [new StorageError('refused', ''), { code: 'UNAVAILABLE', message: expect.stringContaining('rejects') }],
  [new StorageError('unreachable', ''), { code: 'UNAVAILABLE', retryAfterSeconds: 1 }],
])('maps %o to an error response and keeps it as the cause', (failure, answer) => {
  expect(asSvcError(failure)).toMatchObject({ ...answer, cause: failure })
})

test.each([
  new DatabaseError('syntax error', '42601'),
  new DatabaseError('no such table', '42P01'),
  new DatabaseError('taken', '23505', { constraint: 'documents_pkey' }),
  new DatabaseError('gone', '23503', { constraint: 'sessions_user_id_fkey' }),
  new StorageError('failed', 'permission denied'),
  new Error('anything else'),
])('treats %o as an internal error', (failure) => {
  expect(asSvcError(failure)).toBeUndefined()
})

test('returns an SvcError unchanged', () => {
  const refused = new SvcError('FORBIDDEN', 'No.')

  expect(asSvcError(refused)).toBe(refused)
})

test('logs failures that last until an operator acts, and storage failures that nothing else reports', () => {
  const lasting = [new DatabaseError('', '28P01'), new StorageError('refused', ''), new StorageError('unreachable', '')]
  const transient = [new DatabaseError('', '57P01'), new StorageError('full', ''), new Error()]

  expect(lasting.map(needsOperator)).toEqual([true, true, true])
  expect(transient.map(needsOperator)).toEqual([false, false, false])
})
