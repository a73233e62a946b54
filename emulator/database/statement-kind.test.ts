import { expect, it } from 'vitest'
import { mayWrite } from './statement-kind.js'

it.each([
  ['select 1', false],
  ['\n    with found as (select id from documents) select count(*) from found', false],
  ['select deleted_at, updated_at from users', false],
  ['insert into things (id) values ($1)', true],
  ['with gone as (\n  delete from things returning id\n) select count(*) from gone', true],
  ['with changed as (update things set n = n + 1 returning n) select n from changed', true],
  ['do $$ begin end $$', true],
  ['create table things ()', true],
])('%j may write: %s', (text, writes) => {
  expect(mayWrite(text)).toBe(writes)
})
