/** Named services: the user's own file, of mode 0600 because it holds keys. */
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { isObject } from '../../client/protocol/model/json.js'
import { parseJsonFile } from '../../seeds/json-text.js'
import { CliFailure, exits } from '../base/failure.js'
import { nearest } from '../terminal/nearest.js'
import { writePrivateFile } from './emulator-file.js'

export interface TargetProfile {
  readonly url: string
  readonly key?: string
  readonly dialect?: string
}

export interface Profiles {
  /** The profile that is used where nothing else says. */
  readonly current?: string
  readonly profiles: { readonly [name: string]: TargetProfile }
}

/** `$SVC_CONFIG_DIR`, else `svc` in the folder where this system keeps settings. */
export function configFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env.SVC_CONFIG_DIR) return env.SVC_CONFIG_DIR
  return join(env.XDG_CONFIG_HOME || (process.platform === 'win32' && env.APPDATA) || join(homedir(), '.config'), 'svc')
}

export function profilesFile(): string {
  return join(configFolder(), 'profiles.json')
}

/** All profiles; none where the file is not there. */
export function readProfiles(): Profiles {
  const file = profilesFile()
  if (!existsSync(file)) return { profiles: {} }
  let content: Profiles
  try {
    content = parseJsonFile(readFileSync(file, 'utf8')) as Profiles
  } catch (cause) {
    const hint = 'Mend it, or move it away and add the profiles again.'
    throw new CliFailure('BAD_CONFIG', exits.failed, `${file} is not JSON.`, hint, { cause })
  }
  if (!isObject(content) || !isObject(content.profiles)) return { profiles: {} }
  return content
}

/** Changes what is there now, as another command may have written since it was read. Answers what is there then. */
export async function changeProfiles(change: (now: Profiles) => Profiles): Promise<Profiles> {
  const { inTurn } = await import('../files/claim.js')
  return inTurn(profilesFile(), async () => {
    const changed = change(readProfiles())
    await writePrivateFile(profilesFile(), `${JSON.stringify(changed, null, 2)}\n`)
    return changed
  })
}

/** The profile of that name. */
export function requireProfile(name: string, { profiles }: Profiles = readProfiles()): TargetProfile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile) return profile
  const meant = nearest(name, Object.keys(profiles))
  const hint = meant ? `Did you mean "${meant}"?` : 'See which there are: svc profiles list'
  throw new CliFailure('NO_PROFILE', exits.notFound, `No profile "${name}".`, hint)
}

/** A key as it may be shown: enough to tell it from another, too little to use it. */
export function maskKey(key: string): string {
  const kind = /^svc_(?:key|secret)_/.exec(key)?.[0] ?? ''
  return key.length - kind.length < 12 ? `${kind}…` : `${kind}…${key.slice(-4)}`
}
