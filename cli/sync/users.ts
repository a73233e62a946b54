/**
 * Compares the users of both sides, and creates in the emulator those that only the service has. The email identifies a user.
 * Passwords, codes and sessions stay where they are.
 */
import type { Control } from '../../client/control.js'
import { canonicalJson } from '../../client/protocol/model/json.js'
import type { AppUser } from '../../client/protocol/model/user.js'
import { CliFailure, exits } from '../base/failure.js'
import type { Client } from '../base/service-command.js'
import { counted } from '../terminal/print.js'
import { openPairs, type Pair, type Pairs } from './pairs.js'
import type { Sides } from './plan.js'

export interface UserPlan {
  readonly onlyHere: readonly AppUser[]
  readonly onlyThere: readonly AppUser[]
  /** Users of both sides, by their ids. */
  readonly pairs: readonly Pair[]
  /** Users of both sides whose data, roles or verification differ. */
  readonly differing: number
}

const pageSize = 100

/** @throws {CliFailure} `CHANGED` if users were added or deleted while they were read */
export async function planUsers({ local, remote }: Sides, signal: AbortSignal): Promise<UserPlan> {
  const [here, there] = [await readUsers(local, signal), await readUsers(remote, signal)]
  const both = [...here].flatMap(([email, mine]) => {
    const theirs = there.get(email)
    return theirs ? [[mine, theirs] as const] : []
  })
  return {
    onlyHere: [...here].flatMap(([email, user]) => (there.has(email) ? [] : [user])),
    onlyThere: [...there].flatMap(([email, user]) => (here.has(email) ? [] : [user])),
    pairs: both.map(([mine, theirs]) => ({ local: mine.id, remote: theirs.id })),
    differing: both.filter(([mine, theirs]) => readShared(mine) !== readShared(theirs)).length,
  }
}

/** Reads all users by email. The total before and after tells whether pages were cut or users changed in between. */
async function readUsers({ users }: Client, signal: AbortSignal): Promise<ReadonlyMap<string, AppUser>> {
  const found = new Map<string, AppUser>()
  for (let offset = 0; ; ) {
    const { items, total } = await users.list({ sort: 'createdAt', limit: pageSize, offset, signal })
    for (const user of items) found.set(user.email.toLowerCase(), user)
    offset += items.length
    if (items.length > 0 && (total === null || offset < total)) continue
    if (total === null || found.size === total) return found
    const message = `Read ${counted(found.size, 'user')}, but the service counts ${total}. Nothing was done.`
    throw new CliFailure('CHANGED', exits.invalid, message, 'Users were added or deleted in between. Try again.')
  }
}

function readShared({ data, roles, emailVerified }: AppUser): string {
  return canonicalJson({ data, roles: [...roles].sort(), emailVerified })
}

/** Opens the saved pairs of users, which documents link to. */
export function openUserPairs(url: string, project: string): Pairs {
  return openPairs(url, { local: `users of ${project}`, remote: 'users' })
}

/** Creates users without passwords. Each is on record before the next is created. */
export async function createUsers(
  { users }: Pick<Control, 'users'>,
  project: string,
  { plan, pairs, signal }: { readonly plan: UserPlan; readonly pairs: Pairs; readonly signal: AbortSignal },
): Promise<void> {
  pairs.add(plan.pairs.filter(({ local, remote }) => pairs.byLocal.get(local)?.remote !== remote))
  for (const { id, email, data, roles, emailVerified } of plan.onlyThere) {
    if (signal.aborted) return
    const made = await users.create({ project, email, data, roles: [...roles], emailVerified })
    pairs.add([{ local: made.id, remote: id }])
  }
}
