/** Acts as the owner of an emulator: anyone who can read the emulator file can use its control API. */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Control } from '../../client/control.js'
import type { Client, SessionStore } from '../../client/index.js'
import { isObject, parseJson } from '../../client/protocol/model/json.js'
import type { AppUser } from '../../client/protocol/model/user.js'
import { CliFailure, exits } from '../base/failure.js'
import { nearest } from '../terminal/nearest.js'
import { openControl } from './control.js'
import { findEmulatorFile, isPlainWord, writePrivateFile } from './emulator-file.js'
import { emulatorOfRun } from './emulator-of-run.js'
import type { Target } from './target.js'

/** @throws {CliFailure} with exit 3 if the target is not this folder's emulator */
export function openOwner({ emulator, url }: Pick<Target, 'url' | 'emulator'>): Control {
  if (emulator) return openControl(emulator)
  const message = `${url} is not the emulator of this folder. You are the owner only of that one.`
  const hint =
    'Run this command in the folder where "svc dev" runs. For "svc serve", use the control API on its admin port.'
  throw new CliFailure('FORBIDDEN', exits.notAuthorised, message, hint)
}

/** @throws {CliFailure} with exit 4, suggesting a similar user */
export async function findUser(client: Client, who: string): Promise<AppUser> {
  if (!who.includes('@')) return client.users.get(who)
  const { items } = await client.users.list({ where: { email: { in: [who, who.toLowerCase()] } }, limit: 1 })
  if (items[0]) return items[0]
  const others = (await client.users.list({ limit: 100 })).items.map(({ email }) => email)
  const meant = nearest(who, others.filter(isAlike(who)))
  const hint = meant ? `Did you mean "${meant}"?` : 'List them: svc users list'
  throw new CliFailure('USER_NOT_FOUND', exits.notFound, `No user "${who}".`, hint)
}

/** Compares names and domains separately, because all addresses of one domain share most letters. */
function isAlike(address: string): (other: string) => boolean {
  const [name = '', domain = ''] = address.split('@')
  return (other) => {
    const [otherName = '', otherDomain = ''] = other.split('@')
    return nearest(name, [otherName]) !== undefined && nearest(domain, [otherDomain]) !== undefined
  }
}

/** Creates a token for the user. */
export async function createToken(owner: Control['users'], { id }: Pick<AppUser, 'id'>): Promise<string> {
  return (await owner.token({ user: id })).token
}

/** Logs in as the user when the first request needs it. */
export function loginAs(target: Target, client: Client, who: string): SessionStore {
  return {
    async read() {
      const owner = openOwner(target).users
      const user = await findUser(client, who)
      return JSON.stringify({ token: await createToken(owner, user), user })
    },
    write: () => undefined,
  }
}

/**
 * Returns the secret key for this folder's commands, created once. Its file grants no more than the control token next
 * to it. A test run's emulator has no folder, so its key expires.
 */
export async function ownerKey(target: Pick<Target, 'url' | 'emulator'>): Promise<string> {
  const { keys } = openOwner(target)
  const project = target.emulator?.projectId ?? ''
  const emulatorFile = emulatorOfRun() ? undefined : findEmulatorFile()
  if (emulatorFile === undefined) {
    return (await keys.create({ project, secret: true, name, expiresInSeconds: 86_400 })).key
  }
  const file = join(dirname(emulatorFile), 'command-line-key.json')
  const known = await readKey(file)
  if (known && (await keys.list({ project })).keys.some(({ id }) => id === known.id)) return known.key
  const { id, key } = await keys.create({ project, secret: true, name })
  await writePrivateFile(file, `${JSON.stringify({ id, key })}\n`)
  return key
}

const name = 'command line'

async function readKey(file: string): Promise<{ readonly id: string; readonly key: string } | undefined> {
  const kept = parseJson(await readFile(file, 'utf8').catch(() => ''))
  if (!isObject(kept) || !isPlainWord(kept.id) || !isPlainWord(kept.key)) return undefined
  return { id: kept.id, key: kept.key }
}
