/** The `state` that goes out with a browser and has to come back: random, signed by the project, good once. Contract 7.3. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { insertLogin, type PendingProviderLogin, takeLogin } from '../store/idp-logins.js'
import type { Context } from './context.js'
import { hashOf } from './hashes.js'
import { tokenSecretOf } from './sessions.js'

type Scope = Pick<Context, 'backend' | 'db' | 'project'>

const stateMilliseconds = 10 * 60_000

/** Remembers a login that is about to leave, and answers the state it leaves with. */
export async function openLogin(scope: Scope, login: PendingProviderLogin): Promise<string> {
  const { backend, db, project } = scope
  const random = randomBytes(18).toString('base64url')
  const state = `${random}.${await sign(scope, random)}`
  const expiresAt = new Date(backend.now().getTime() + stateMilliseconds).toISOString()
  await insertLogin(db, { stateHash: hashOf(state), project: project.id, expiresAt }, login)
  return state
}

/** The login that left with that state; nothing if it is not ours, was used, or is older than ten minutes. */
export async function takeOpenLogin(scope: Scope, state: string): Promise<PendingProviderLogin | undefined> {
  const [, random = '', signature = ''] = /^([\w-]{24})\.([\w-]{43})$/.exec(state) ?? []
  if (random === '' || !isSame(signature, await sign(scope, random))) return undefined
  const { backend, db, project } = scope
  return takeLogin(db, { stateHash: hashOf(state), project: project.id, at: backend.now().toISOString() })
}

async function sign(scope: Scope, random: string): Promise<string> {
  const secret = await tokenSecretOf(scope)
  return createHmac('sha256', secret).update(`state of a login: ${random}`).digest('base64url')
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
