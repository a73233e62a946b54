import { expect, it } from 'vitest'
import { nextCommand } from './next-command.js'

it.each<[hint: string | undefined, code: string, next: string]>([
  ['Start one: npx svc dev', 'NOT_RUNNING', 'npx svc dev'],
  ['Show the usage: svc docs list --help', 'MISUSE', 'svc docs list --help'],
  ['Confirm it with --yes (-y).', 'NOT_CONFIRMED', 'svc docs list --help'],
  ['Turn it on: svc project set requestLog:=true', 'NOT_FOUND', 'svc project set requestLog:=true'],
  ['Act as a user: --as <user>. List the users: svc users list', 'FORBIDDEN', 'svc users list'],
  ['Set them: svc project set idp.google=…', 'FORBIDDEN', 'svc requests show --why'],
  ['Start one: svc parity run --against PROFILE', 'NOT_FOUND', 'svc collections list'],
  ['The first.\nThen: svc undo', 'CHANGED', 'svc undo'],
  [undefined, 'NOT_RUNNING', 'svc dev --detach'],
])('after the hint %j and %s comes %s', (hint, code, next) => {
  expect(nextCommand({ hint, code }, 'docs:list')).toBe(next)
})
