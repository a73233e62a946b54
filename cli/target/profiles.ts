/** Stores named services in the user's own file, with mode 0600 because it contains keys. */
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { isObject } from '../../client/protocol/model/json.js'
import { parseJsonFile } from '../../seeds/json-text.js'
import { CliFailure, exits, misuse } from '../base/failure.js'
import { nearest } from '../terminal/nearest.js'
import { writePrivateFile } from './emulator-file.js'

export interface TargetProfile {
  readonly url: string
  readonly key?: string
  readonly dialect?: string
}

export interface Profiles {
  /** The default profile. */
  readonly current?: string
  readonly profiles: { readonly [name: string]: TargetProfile }
}

/** Returns `$SVC_CONFIG_DIR`, or `svc` in the system's settings folder. */
export function configFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env.SVC_CONFIG_DIR) return env.SVC_CONFIG_DIR
  return join(env.XDG_CONFIG_HOME || (process.platform === 'win32' && env.APPDATA) || join(homedir(), '.config'), 'svc')
}

export function profilesFile(): string {
  return join(configFolder(), 'profiles.json')
}

/** Returns all profiles. Empty if the file does not exist. */
export function readProfiles(): Profiles {
  const file = profilesFile()
  if (!existsSync(file)) return { profiles: {} }
  let content: Profiles
  try {
    content = parseJsonFile(readFileSync(file, 'utf8')) as Profiles
  } catch (cause) {
    const hint = 'Fix it, or move it away and add the profiles again.'
    throw new CliFailure('BAD_CONFIG', exits.failed, `${file} is not valid JSON.`, hint, { cause })
  }
  if (!isObject(content) || !isObject(content.profiles)) return { profiles: {} }
  return content
}

/** Re-reads the file under a lock, because another command may have changed it. Returns the new content. */
export async function changeProfiles(change: (now: Profiles) => Profiles): Promise<Profiles> {
  const { inTurn } = await import('../files/claim.js')
  return inTurn(profilesFile(), async () => {
    const changed = change(readProfiles())
    await writePrivateFile(profilesFile(), `${JSON.stringify(changed, null, 2)}\n`)
    return changed
  })
}

/** @throws {CliFailure} with exit 2 if a profile cannot have that name */
export function requireProfileName(name: string): void {
  if (/^[\w.-]+$/.test(name)) return
  throw misuse(`Invalid profile name "${name}".`, 'Use letters, digits, ".", "_" and "-".')
}

export function requireProfile(name: string, { profiles }: Profiles = readProfiles()): TargetProfile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile) return profile
  const meant = nearest(name, Object.keys(profiles))
  const hint = meant ? `Did you mean "${meant}"?` : 'List the profiles: svc profiles list'
  throw new CliFailure('NO_PROFILE', exits.notFound, `No profile "${name}".`, hint)
}

/** Masks a key: enough to tell it from others, too little to use it. */
export function maskKey(key: string): string {
  const kind = /^svc_(?:key|secret)_/.exec(key)?.[0] ?? ''
  return key.length - kind.length < 12 ? `${kind}…` : `${kind}…${key.slice(-4)}`
}
