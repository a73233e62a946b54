/** What a command talks to: flag beats environment beats project file beats user file beats the running emulator. */
import { isLoopbackUrl } from '../../client/protocol/model/loopback.js'
import { calledAs } from '../base/called-as.js'
import { CliFailure, exits, misuse } from '../base/failure.js'
import { shellWord } from '../terminal/shell-word.js'
import { findEmulatorFile, readEmulatorFile } from './emulator-file.js'
import { emulatorOfRun, type OwnEmulator } from './emulator-of-run.js'
import { readProfiles, requireProfile } from './profiles.js'
import { findProjectFile } from './project-file.js'
import { isAccepted, type NamedAddress, notAccepted } from './trust.js'

export interface TargetFlags {
  readonly url?: string | undefined
  readonly key?: string | undefined
  readonly dialect?: string | undefined
  readonly profile?: string | undefined
  /** Who acts, where the command has a flag for it. */
  readonly as?: string | undefined
}

/** The flags that name the same service in a command that is suggested; a key is not shown. */
export function targetWords({ profile, url = process.env.SVC_URL, dialect, as }: TargetFlags): string {
  const named = profile === undefined ? { url, dialect, as } : { profile, dialect, as }
  return Object.entries(named)
    .map(([name, value]) => (value ? ` --${name} ${shellWord(value)}` : ''))
    .join('')
}

export interface Target {
  readonly url: string
  readonly key: string | undefined
  /** As in the `svc-dialect` header; left out, whatever the client's default is. */
  readonly dialect: string | undefined
  /** Who said so, in words: "--url", "profile \"staging\"", "the emulator of /home/ada/app". */
  readonly from: string
  readonly keyFrom: string | undefined
  /** Why a key that is there is not sent, in words. */
  readonly withheld: string | undefined
  /** Whether only this machine can be meant: then writes need no question. */
  readonly isLocal: boolean
  /** There, where the emulator of this folder is meant. */
  readonly emulator: OwnEmulator | undefined
}

interface Place {
  readonly url: string
  readonly from: string
  /** The file of a folder that names the address, where it is not the user's own words. */
  readonly namedIn?: string | undefined
  readonly key?: string | undefined
  readonly dialect?: string | undefined
}

/**
 * A key goes only where its source says: contract 12.4, decision 27.
 *
 * @throws {CliFailure} with exit 8 if nothing names a service and no emulator runs here, with exit 3 if a project file
 * names an address that was never accepted.
 */
export function findTarget(flags: TargetFlags, env: NodeJS.ProcessEnv = process.env): Target {
  const place = findPlace(flags, env)
  const url = readAddress(place.url, place.from)
  const named = namedAddress(place)
  if (named && !isAccepted(named)) throw notAccepted(named)
  const withheld = keyWithheld(url, env)
  const emulator = findEmulator(env)
  const isEmulator = emulator !== undefined && emulator.url === url
  const [key, keyFrom] = firstSaid([
    [flags.key, '--key'],
    [flags.profile === undefined ? undefined : place.key, place.from],
    [withheld ? undefined : env.SVC_API_KEY, 'SVC_API_KEY'],
    [place.key, place.from],
    [isEmulator ? emulator.apiKey : undefined, 'the running emulator'],
  ])
  const [dialect] = firstSaid([
    [flags.dialect, '--dialect'],
    // As for the key: what is given together is meant together.
    [flags.profile === undefined ? undefined : place.dialect, place.from],
    [env.SVC_DIALECT, 'SVC_DIALECT'],
    [place.dialect, place.from],
  ])
  const isLocal = isLoopbackUrl(url)
  return {
    url,
    key,
    keyFrom,
    withheld,
    dialect,
    from: place.from,
    isLocal,
    emulator: isEmulator ? emulator : undefined,
  }
}

/** Why `SVC_API_KEY` does not go to this address, in words: beside `SVC_URL` it is for that one alone. */
export function keyWithheld(url: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const isElsewhere = Boolean(env.SVC_API_KEY && env.SVC_URL) && !isSameAddress(env.SVC_URL ?? '', url)
  return isElsewhere ? 'SVC_API_KEY is for SVC_URL, and is sent nowhere else.' : undefined
}

/** The address that these flags and settings lead to, if a file of the folder names it and it was not accepted yet. */
export function doubtfulAddress(flags: TargetFlags, env = process.env): NamedAddress | undefined {
  try {
    const named = namedAddress(findPlace(flags, env))
    return named && !isAccepted(named) ? named : undefined
  } catch (error) {
    // Flags and settings that lead nowhere are refused where they are followed.
    if (error instanceof CliFailure) return undefined
    throw error
  }
}

function namedAddress({ url, from, namedIn }: Place): NamedAddress | undefined {
  return namedIn === undefined ? undefined : { path: namedIn, url: readAddress(url, from) }
}

function isSameAddress(text: string, url: string): boolean {
  return parseAddress(text)?.href.replace(/\/+$/, '') === url
}

function findPlace(flags: TargetFlags, env: NodeJS.ProcessEnv): Place {
  if (flags.url && flags.profile) throw misuse('--url and --profile both say where to go.', 'Give one of them.')
  if (flags.url) return { url: flags.url, from: '--url' }
  if (flags.profile) return fromProfile(flags.profile, `profile "${flags.profile}"`)
  if (env.SVC_URL) return { url: env.SVC_URL, from: 'SVC_URL' }
  if (env.SVC_PROFILE) return fromProfile(env.SVC_PROFILE, `profile "${env.SVC_PROFILE}" (SVC_PROFILE)`)
  const project = findProjectFile()
  if (project?.url) {
    return { url: project.url, dialect: project.dialect, from: project.path, namedIn: project.path }
  }
  if (project?.profile) {
    const place = fromProfile(project.profile, `profile "${project.profile}" (${project.path})`)
    return { ...place, dialect: project.dialect ?? place.dialect }
  }
  const profiles = readProfiles()
  if (profiles.current) return fromProfile(profiles.current, `profile "${profiles.current}"`)
  const file = findEmulatorFile()
  const emulator = file === undefined ? undefined : readEmulatorFile(file)
  if (emulator) {
    const { url, apiKey } = emulator
    return { url, key: apiKey, dialect: project?.dialect, from: 'the running emulator', namedIn: file }
  }
  throw notRunning()
}

export function notRunning(cause?: unknown): CliFailure {
  const message = 'No emulator runs in this folder, and nothing names another service.'
  return new CliFailure('NOT_RUNNING', exits.notRunning, message, `Start one: ${calledAs()} dev`, { cause })
}

function fromProfile(name: string, from: string): Place {
  return { ...requireProfile(name), from }
}

function findEmulator(env: NodeJS.ProcessEnv): OwnEmulator | undefined {
  const own = emulatorOfRun(env)
  if (own) return own
  const file = findEmulatorFile()
  return file === undefined ? undefined : readEmulatorFile(file)
}

/** @throws {CliFailure} unless it is the address of a service; `from` says where it was given. */
export function readAddress(url: string, from: string): string {
  const parsed = parseAddress(url)
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) {
    throw misuse(`Not a valid address: "${url}" (${from}).`, 'Use one like http://127.0.0.1:4400.')
  }
  if (parsed.username || parsed.password || parsed.search || parsed.hash) {
    throw misuse(
      `"${parsed.origin}" (${from}) has a user name or password in it.`,
      'Give the key with --key or SVC_API_KEY.',
    )
  }
  return parsed.href.replace(/\/+$/, '')
}

function parseAddress(url: string): URL | undefined {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : withScheme(url)
  return URL.canParse(text) ? new URL(text) : undefined
}

/** Nothing but this machine is asked without encryption, unless the address says so. */
function withScheme(url: string): string {
  return URL.canParse(`http://${url}`) && isLoopbackUrl(`http://${url}`) ? `http://${url}` : `https://${url}`
}

function firstSaid(said: readonly (readonly [string | undefined, string])[]): readonly [string?, string?] {
  return said.find(([value]) => value !== undefined && value !== '') ?? []
}
