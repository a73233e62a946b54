import { expect, test } from 'vitest'
import type { Permissions, Schema } from '../../../client/protocol/model/collection.js'
import type { Fields } from '../../../client/protocol/model/document.js'
import { type Json, JsonText } from '../../../client/protocol/model/json.js'
import type { Caller } from '../context.js'
import { guardFields } from './field-guard.js'
import { grantFor } from './grant.js'

const ada: Caller = {
  id: 'ada',
  key: undefined,
  user: { id: 'ada', sessionId: 's', roles: [], isVerified: true, signedInAt: '2026-01-01T00:00:00.000Z' },
  secret: false,
}
const jobs = [{ title: 'a', wage: 1 }]
const before = { pay: { base: 10, bonus: 5 }, jobs, name: 'Ada' } satisfies Fields

function guard(permissions: Permissions, schema: Schema = {}) {
  const at = '2026-01-01T00:00:00.000Z'
  return guardFields(grantFor(ada, { id: 'c', name: 'staff', schema, permissions, createdAt: at, updatedAt: at }))
}

function replace(permissions: Permissions, fields: Fields): Fields | string {
  const document = { id: 'd', data: new JsonText(JSON.stringify(before)), createdBy: null }
  try {
    return guard(permissions).changed(document, () => fields)
  } catch (error) {
    return error instanceof Error ? error.message : 'no error'
  }
}

const hidden = { hidden: { 'pay.bonus': [], 'jobs.wage': [] } }
const readonly = { readonly: { 'pay.bonus': [], 'jobs.wage': [] } }
const unread = { ...hidden, read: ['owner'] }
const withPay = (pay: Json) => ({ jobs, name: 'Ada', pay })
const seenJobs = [{ title: 'a' }]

test.each<[string, Permissions, Fields, Fields | RegExp]>([
  ['hidden, absent', hidden, { name: 'Bob' }, { name: 'Bob', pay: { bonus: 5 }, jobs }],
  ['hidden, absent beside a change', hidden, { pay: { base: 11 } }, { jobs, pay: { base: 11, bonus: 5 } }],
  ['hidden, the stored value', hidden, { pay: { bonus: 5 } }, /"pay.bonus" .* is hidden .*: you can set it in a new/],
  ['hidden, another value', hidden, { pay: { bonus: 6 } }, /"pay.bonus" .*: you can set it in a new/],
  ['hidden, its holder replaced', hidden, { pay: 1 }, /"pay.bonus" .*: change its sibling fields one by one/],
  ['hidden, its array as seen', hidden, { jobs: seenJobs }, { pay: { bonus: 5 }, jobs }],
  ['hidden, its array changed', hidden, { jobs: [{ title: 'b' }] }, /"jobs.wage" .*: change its sibling fields/],
  ['read-only, absent', readonly, { name: 'Bob' }, { name: 'Bob', pay: { bonus: 5 }, jobs }],
  ['read-only, the stored value', readonly, withPay({ bonus: 5 }), withPay({ bonus: 5 })],
  [
    'read-only, another value',
    readonly,
    withPay({ bonus: 6 }),
    /"pay.bonus" .* is read-only .*: leave it out, or send/,
  ],
  ['read-only, its holder replaced', readonly, withPay([]), /"pay.bonus" .*: leave it out, or send it unchanged/],
  ['read-only, its array changed', readonly, { jobs: [] }, /"jobs.wage" .*: leave it out, or send it unchanged/],
  ['unread, absent', unread, { name: 'Bob' }, { name: 'Bob', pay: { bonus: 5 }, jobs }],
  ['unread, its holder given', unread, { pay: { base: 10 } }, /"pay.bonus" .*: leave it out, since you cannot read/],
  ['unread, its array as stored', unread, { jobs }, /"jobs.wage" .*: leave it out, since you cannot read/],
])('replaces a document: %s', (_, permissions, fields, expected) => {
  const outcome = replace(permissions, fields)

  if (expected instanceof RegExp) expect(outcome).toMatch(expected)
  else expect(outcome).toMatchObject(expected)
})

test('keeps the default of a read-only field in a new document, and does not let callers guess a hidden one', () => {
  const whole = { rank: { level: 1, secret: 2 } }
  const schema: Schema = { rank: { type: 'object', default: whole.rank } }
  const open = guard({ readonly: { rank: [] } }, schema)
  const secret = guard({ readonly: { rank: [] }, hidden: { 'rank.secret': [] } }, schema)

  expect(open.created({}, whole)).toEqual(whole)
  expect(open.created(whole, whole)).toEqual(whole)
  expect(() => open.created({ rank: { level: 2 } }, { rank: { level: 2 } })).toThrow(
    'leave it out, or send it unchanged',
  )
  expect(secret.created({}, whole)).toEqual(whole)
  expect(() => secret.created({ rank: { level: 1 } }, { rank: { level: 1 } })).toThrow(
    'leave it out, or send it unchanged',
  )
})
