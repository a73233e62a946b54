import { expect, test } from 'vitest'
import type { Caller } from '../context.js'
import { grantFor } from './grant.js'

const ada: Caller = {
  id: 'ada',
  key: undefined,
  user: { id: 'ada', sessionId: 's', roles: ['editor'], isVerified: true, signedInAt: '2026-01-01T00:00:00.000Z' },
  secret: false,
}
const board = { link: 'board', field: 'members' }

test.each([
  ['nobody is named', [], 'all'],
  ['the role of the caller', ['editor'], 'all'],
  ['every user', ['authenticated'], 'all'],
  ['another role', ['admin'], 'none'],
  ['the creator', ['owner'], { own: true, members: [] }],
  ['members', ['member:board.members'], { own: false, members: [expect.objectContaining(board)] }],
  ['a word that names no field', ['member:board.members.more'], 'none'],
])('contract 13.9 a permission for %s', (_, read, reach) => {
  expect(grantFor(ada, { name: 'posts', permissions: { read } }).read).toEqual(reach)
})
