/** Decides what a command talks to, in one order for all commands: contract 12.4, decision 27. */
import { isLoopbackUrl } from '../../client/protocol/model/loopback.js'
import { calledAs } from '../base/called-as.js'
import { CliFailure, exits, misuse } from '../base/failure.js'
import { shellWord } from '../terminal/shell-word.js'
import { type EmulatorInfo, findEmulatorFile, readEmulatorFile } from './emulator-file.js'
import { isProcessThere } from './emulator-health.js'
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
  /** The setting that decided, in words: "--url", "profile staging", "the running emulator". */
  readonly from: string
  readonly keyFrom: string | undefined
  /** Why a key that is there is not sent, in words. */
  readonly withheld: string | undefined
  /** Whether the address is always this machine. */
  readonly isLocal: boolean
  /** Whether --url or SVC_URL named the address. */
  readonly isTyped: boolean
  /** The profile that named the address. */
  readonly profile: string | undefined
  /** Set where the address is that of the emulator of this folder or test run. */
  readonly emulator: OwnEmulator | EmulatorInfo | undefined
  /** Whether that emulator runs, as far as its process tells. */
  readonly isOwn: boolean
  /** Whether no other key than its public one was named, so that a command may act as the owner of that emulator. */
  readonly isOwner: boolean
  /** Settings that name another address and rank lower, in words. Empty where a flag or the environment decided. */
  readonly passedOver: readonly string[]
}

interface Place {
  readonly url: string
  readonly from: string
  readonly isTyped?: boolean
  readonly profile?: string
  /** The file of a folder that names the address, where it is not the user's own words. */
  readonly namedIn?: string | undefined
  readonly key?: string | undefined
  readonly dialect?: string | undefined
}

interface Asked {
  readonly flags: TargetFlags
  readonly env: NodeJS.ProcessEnv
  /** Whether the service is meant that the emulator of this folder is compared with. */
  readonly isOther: boolean
}

export interface FindOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly isOther?: boolean
}

/**
 * A key goes only where its source says: contract 12.4, decision 27.
 *
 * @throws {CliFailure} with exit 8 if nothing names a service and no emulator runs here, with exit 3 if a project file
 * names an address or a profile that was never accepted.
 */
export function findTarget(flags: TargetFlags, { env = process.env, isOther = false }: FindOptions = {}): Target {
  const asked = { flags, env, isOther }
  const place = findPlace(asked)
  const url = readAddress(place.url, place.from)
  const named = namedAddress(place)
  if (named && !isAccepted(named)) throw notAccepted(named)
  const withheld = keyWithheld(url, env)
  const own = findEmulator(env)
  const emulator = own?.emulator.url === url ? own.emulator : undefined
  const [key, keyFrom] = firstSaid([
    [flags.key, '--key'],
    [flags.profile === undefined ? undefined : place.key, place.from],
    [withheld ? undefined : env.SVC_API_KEY, 'SVC_API_KEY'],
    [place.key, place.from],
    [emulator?.apiKey, 'the running emulator'],
  ])
  const [dialect] = firstSaid([
    [flags.dialect, '--dialect'],
    // As for the key: what is given together is meant together.
    [flags.profile === undefined ? undefined : place.dialect, place.from],
    [env.SVC_DIALECT, 'SVC_DIALECT'],
    [place.dialect, place.from],
  ])
  return {
    url,
    key,
    keyFrom,
    withheld,
    dialect,
    from: place.from,
    isLocal: isLoopbackUrl(url),
    isTyped: place.isTyped === true,
    profile: place.profile,
    emulator,
    isOwn: emulator !== undefined && own?.isRunning === true,
    isOwner: emulator !== undefined && key === emulator.apiKey && keyFrom !== '--key',
    passedOver: passedOver(asked, place),
  }
}

/** Whether others on the way could read a key that is sent there. Only loopback counts as this machine. */
export function isUnencrypted(url: string): boolean {
  return new URL(url).protocol === 'http:' && !isLoopbackUrl(url)
}

/** Why `SVC_API_KEY` does not go to this address, in words: beside `SVC_URL` it is for that one alone. */
export function keyWithheld(url: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const isElsewhere = Boolean(env.SVC_API_KEY && env.SVC_URL) && !isSameAddress(env.SVC_URL ?? '', url)
  return isElsewhere ? 'SVC_API_KEY is for SVC_URL, and is sent nowhere else.' : undefined
}

/** The address that these flags and settings lead to, if a file of the folder names it and it was not accepted yet. */
export function doubtfulAddress(
  flags: TargetFlags,
  { env = process.env, isOther = false }: FindOptions = {},
): NamedAddress | undefined {
  return unlessRefused(() => doubtful(namedAddress(findPlace({ flags, env, isOther }))))
}

/** The address that svc.json names, itself or by a profile, and the one of the emulator's file. */
export function addressesOfFolder(): readonly NamedAddress[] {
  const asked = { flags: {}, env: {}, isOther: false }
  return [byProjectFile, runningHere, stoppedHere].flatMap((source) => {
    const place = source(asked)
    return (place && namedAddress(place)) ?? []
  })
}

function doubtful(named: NamedAddress | undefined): NamedAddress | undefined {
  return named && !isAccepted(named) ? named : undefined
}

/** Flags and settings that lead nowhere are refused where they are followed. */
function unlessRefused<Value>(find: () => Value): Value | undefined {
  try {
    return find()
  } catch (error) {
    if (error instanceof CliFailure) return undefined
    throw error
  }
}

function namedAddress({ url, from, namedIn, profile }: Place): NamedAddress | undefined {
  return namedIn === undefined ? undefined : { path: namedIn, url: readAddress(url, from), profile }
}

function isSameAddress(text: string, url: string): boolean {
  return parseAddress(text)?.href.replace(/\/+$/, '') === url
}

type Source = (asked: Asked) => Place | undefined

/** In the order that decides, for every command. */
const sources: readonly Source[] = [byFlag, byEnvironment, runningHere, byProjectFile, byDefaultProfile, stoppedHere]

function findPlace(asked: Asked): Place {
  for (const source of sources) {
    const place = source(asked)
    if (place) return place
  }
  throw asked.isOther ? noOtherService() : notRunning()
}

export function noOtherService(): CliFailure {
  const hint = 'For example: --profile staging, or --url and --key'
  return misuse('Name the service beside the emulator of this folder.', hint)
}

/** What a flag or the environment passes over needs no words: they were meant for this command. */
function passedOver(asked: Asked, { url, isTyped, from }: Place): string[] {
  if (isTyped || byFlag(asked) || byEnvironment(asked)) return []
  const others = sources.flatMap((source) => unlessRefused(() => source(asked)) ?? [])
  return others.filter((other) => other.from !== from && other.url !== url).map((other) => other.from)
}

function byFlag({ flags: { url, profile } }: Asked): Place | undefined {
  if (url && profile) throw misuse('--url and --profile both say where to go.', 'Give one of them.')
  if (url) return { url, from: '--url', isTyped: true }
  return profile ? fromProfile(profile, `profile ${profile}`) : undefined
}

function byEnvironment({ env: { SVC_URL: url, SVC_PROFILE: profile } }: Asked): Place | undefined {
  if (url) return { url, from: 'SVC_URL', isTyped: true }
  return profile ? fromProfile(profile, `profile ${profile} from SVC_PROFILE`) : undefined
}

function runningHere({ isOther }: Asked): Place | undefined {
  const here = isOther ? undefined : emulatorOfFolder()
  return here?.isRunning ? { ...here.place, from: 'the running emulator' } : undefined
}

function byProjectFile(): Place | undefined {
  const project = findProjectFile()
  if (!project) return undefined
  const { path, url, dialect, profile } = project
  if (url) return { url, dialect, from: path, namedIn: path }
  if (!profile) return undefined
  const place = fromProfile(profile, `profile ${profile} from ${path}`)
  return { ...place, dialect: dialect ?? place.dialect, namedIn: path }
}

function byDefaultProfile(): Place | undefined {
  const { current } = readProfiles()
  return current ? fromProfile(current, `profile ${current}`) : undefined
}

/** An emulator may run where its process cannot be seen, as in a container: its file counts where nothing else does. */
function stoppedHere({ isOther }: Asked): Place | undefined {
  const here = isOther ? undefined : emulatorOfFolder()
  return here && !here.isRunning ? { ...here.place, from: `the stopped emulator of ${here.path}` } : undefined
}

function emulatorOfFolder() {
  const path = findEmulatorFile()
  const emulator = path === undefined ? undefined : readEmulatorFile(path)
  if (path === undefined || !emulator) return undefined
  const { url, apiKey: key } = emulator
  const place = { url, key, dialect: findProjectFile()?.dialect, namedIn: path }
  return { path, emulator, place, isRunning: isProcessThere(emulator) }
}

export function notRunning(cause?: unknown): CliFailure {
  const message = 'No emulator runs in this folder, and nothing names another service.'
  return new CliFailure('NOT_RUNNING', exits.notRunning, message, `Start one: ${calledAs()} dev`, { cause })
}

function fromProfile(profile: string, from: string): Place {
  return { ...requireProfile(profile), from, profile }
}

function findEmulator(
  env: NodeJS.ProcessEnv,
): { emulator: OwnEmulator | EmulatorInfo; isRunning: boolean } | undefined {
  const own = emulatorOfRun(env)
  return own ? { emulator: own, isRunning: true } : emulatorOfFolder()
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
