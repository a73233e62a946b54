/** Decides which service a command uses, in the same order for all commands: contract 12.4, decision 27. */
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
  /** Uses the service that svc.json links to. */
  readonly remote?: boolean | undefined
  /** Acting user, if the command has this flag. */
  readonly as?: string | undefined
}

/** Returns the flags that select the same service in a suggested command. Never includes a key. */
export function targetWords({ profile, remote, url = process.env.SVC_URL, dialect, as }: TargetFlags): string {
  if (remote) return ` --remote${words({ dialect, as })}`
  return words(profile === undefined ? { url, dialect, as } : { profile, dialect, as })
}

function words(flags: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(flags)
    .map(([name, value]) => (value ? ` --${name} ${shellWord(value)}` : ''))
    .join('')
}

export interface Target {
  readonly url: string
  readonly key: string | undefined
  /** Value of the `svc-dialect` header. Undefined for the client's default. */
  readonly dialect: string | undefined
  /** The setting that decided: "--url", "profile staging", "the running emulator". */
  readonly from: string
  readonly keyFrom: string | undefined
  /** Why an existing key is not sent. */
  readonly withheld: string | undefined
  /** Whether the URL always means this machine. */
  readonly isLocal: boolean
  /** Whether --url or SVC_URL set the URL. */
  readonly isTyped: boolean
  /** The profile that set the URL. */
  readonly profile: string | undefined
  /** The emulator of this folder or test run, if the URL is its own. */
  readonly emulator: OwnEmulator | EmulatorInfo | undefined
  /** Whether that emulator's process runs. */
  readonly isOwn: boolean
  /** Whether no key other than its public one was given, so the command may act as its owner. */
  readonly isOwner: boolean
  /** Lower-ranked settings with another URL. Empty if a flag or the environment decided. */
  readonly passedOver: readonly string[]
}

interface TargetPlace {
  readonly url: string
  readonly from: string
  readonly isTyped?: boolean
  readonly profile?: string
  /** Whether the profile's key and dialect count more than the environment, because they were chosen together. */
  readonly isChosen?: boolean
  /** The file that sets the URL, unless the user did. */
  readonly namedIn?: string | undefined
  readonly key?: string | undefined
  readonly dialect?: string | undefined
}

interface SourceOptions {
  readonly flags: TargetFlags
  readonly env: NodeJS.ProcessEnv
  /** Finds the second service of a comparison with this folder's emulator. */
  readonly isOther: boolean
}

export interface FindOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly isOther?: boolean
}

/**
 * Finds the service. Sends a key only where its source says: contract 12.4, decision 27.
 *
 * @throws {CliFailure} with exit 8 if nothing names a service and no emulator runs here, with exit 3 if a project file
 * names a URL or profile that was never accepted
 */
export function findTarget(flags: TargetFlags, { env = process.env, isOther = false }: FindOptions = {}): Target {
  const options = { flags, env, isOther }
  const place = findPlace(options)
  const url = readAddress(place.url, place.from)
  const named = namedAddress(place)
  if (named && !isAccepted(named)) throw notAccepted(named)
  const withheld = keyWithheld(url, env)
  const own = findEmulator(env)
  const emulator = own?.emulator.url === url ? own.emulator : undefined
  const [key, keyFrom] = firstSaid([
    [flags.key, '--key'],
    [place.isChosen ? place.key : undefined, place.from],
    [withheld ? undefined : env.SVC_API_KEY, 'SVC_API_KEY'],
    [place.key, place.from],
    [emulator?.apiKey, 'the running emulator'],
  ])
  const [dialect] = firstSaid([
    [flags.dialect, '--dialect'],
    [place.isChosen ? place.dialect : undefined, place.from],
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
    passedOver: passedOver(options, place),
  }
}

/** Returns whether a key sent there could be read in transit. Only loopback counts as this machine. */
export function isUnencrypted(url: string): boolean {
  return new URL(url).protocol === 'http:' && !isLoopbackUrl(url)
}

/** @throws {CliFailure} if a key sent there could be read in transit */
export function requireEncrypted(url: string): void {
  if (!isUnencrypted(url)) return
  throw misuse(`Your key would be sent unencrypted to ${url}.`, 'Use https://, or accept the risk with --insecure.')
}

/** Explains why `SVC_API_KEY` is not sent to this URL. Next to `SVC_URL`, it belongs to that URL only. */
export function keyWithheld(url: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const isElsewhere = Boolean(env.SVC_API_KEY && env.SVC_URL) && !isSameAddress(env.SVC_URL ?? '', url)
  return isElsewhere ? 'SVC_API_KEY is only sent to SVC_URL.' : undefined
}

/** Returns the target's URL if a file of the folder names it and it is not accepted yet. */
export function doubtfulAddress(
  flags: TargetFlags,
  { env = process.env, isOther = false }: FindOptions = {},
): NamedAddress | undefined {
  return unlessRefused(() => doubtful(namedAddress(findPlace({ flags, env, isOther }))))
}

/** Returns the URLs named by svc.json, directly or by profile, and by the emulator file. */
export function addressesOfFolder(): readonly NamedAddress[] {
  const options = { flags: {}, env: {}, isOther: false }
  return [byProjectFile, linked, runningHere, stoppedHere].flatMap((source) => {
    const place = source(options)
    return (place && namedAddress(place)) ?? []
  })
}

function doubtful(named: NamedAddress | undefined): NamedAddress | undefined {
  return named && !isAccepted(named) ? named : undefined
}

/** Ignores settings that lead nowhere. They are refused when used. */
function unlessRefused<Value>(find: () => Value): Value | undefined {
  try {
    return find()
  } catch (error) {
    if (error instanceof CliFailure) return undefined
    throw error
  }
}

function namedAddress({ url, from, namedIn, profile }: TargetPlace): NamedAddress | undefined {
  return namedIn === undefined ? undefined : { path: namedIn, url: readAddress(url, from), profile }
}

function isSameAddress(text: string, url: string): boolean {
  return parseAddress(text)?.href.replace(/\/+$/, '') === url
}

type Source = (options: SourceOptions) => TargetPlace | undefined

/** In order of precedence. */
const sources: readonly Source[] = [
  byFlag,
  byEnvironment,
  runningHere,
  byLink,
  byProjectFile,
  byDefaultProfile,
  stoppedHere,
]

function findPlace(options: SourceOptions): TargetPlace {
  for (const source of sources) {
    const place = source(options)
    if (place) return place
  }
  throw options.isOther ? noOtherService() : notRunning()
}

export function noOtherService(): CliFailure {
  const hint = `Pass --profile or --url, or link this folder once: ${calledAs()} link https://staging.example.com`
  return misuse('Choose the service to compare with the emulator of this folder.', hint)
}

/** Reports nothing if a flag or the environment decided, because the user meant it. */
function passedOver(options: SourceOptions, { url, isTyped, from }: TargetPlace): string[] {
  if (isTyped || byFlag(options) || byEnvironment(options)) return []
  const others = sources.flatMap((source) => unlessRefused(() => source(options)) ?? [])
  return others.filter((other) => other.from !== from && other.url !== url).map((other) => other.from)
}

function byFlag({ flags: { url, profile, remote } }: SourceOptions): TargetPlace | undefined {
  if (url && profile) throw misuse('--url and --profile cannot be combined.', 'Use one of them.')
  if (remote && (url || profile))
    throw misuse('--remote cannot be combined with --url or --profile.', 'Use one of them.')
  if (remote) return linked() ?? notLinked()
  if (url) return { url, from: '--url', isTyped: true }
  return profile ? { ...fromProfile(profile, `profile ${profile}`), isChosen: true } : undefined
}

function byEnvironment({ env: { SVC_URL: url, SVC_PROFILE: profile } }: SourceOptions): TargetPlace | undefined {
  if (url) return { url, from: 'SVC_URL', isTyped: true }
  return profile ? fromProfile(profile, `profile ${profile} from SVC_PROFILE`) : undefined
}

function runningHere({ isOther }: SourceOptions): TargetPlace | undefined {
  const here = isOther ? undefined : emulatorOfFolder()
  return here?.isRunning ? { ...here.place, from: 'the running emulator' } : undefined
}

/** The link of svc.json never moves another command to the hosted service. */
function byLink({ isOther }: SourceOptions): TargetPlace | undefined {
  return isOther ? linked() : undefined
}

function linked(): TargetPlace | undefined {
  const { path, remote } = findProjectFile() ?? {}
  if (path === undefined || remote === undefined) return undefined
  return { ...fromProfile(remote, `profile ${remote}, linked in ${path}`), namedIn: path, isChosen: true }
}

function notLinked(): never {
  throw misuse('svc.json links to no service.', `Link one: ${calledAs()} link https://staging.example.com`)
}

function byProjectFile(): TargetPlace | undefined {
  const project = findProjectFile()
  if (!project) return undefined
  const { path, url, dialect, profile } = project
  if (url) return { url, dialect, from: path, namedIn: path }
  if (!profile) return undefined
  const place = fromProfile(profile, `profile ${profile} from ${path}`)
  return { ...place, dialect: dialect ?? place.dialect, namedIn: path }
}

function byDefaultProfile(): TargetPlace | undefined {
  const { current } = readProfiles()
  return current ? fromProfile(current, `profile ${current}`) : undefined
}

/** An emulator in a container has no visible process, so its file counts last. */
function stoppedHere({ isOther }: SourceOptions): TargetPlace | undefined {
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
  const message = 'No emulator is running in this folder, and no other service is configured.'
  return new CliFailure('NOT_RUNNING', exits.notRunning, message, `Start one: ${calledAs()} dev`, { cause })
}

function fromProfile(profile: string, from: string): TargetPlace {
  return { ...requireProfile(profile), from, profile }
}

function findEmulator(
  env: NodeJS.ProcessEnv,
): { emulator: OwnEmulator | EmulatorInfo; isRunning: boolean } | undefined {
  const own = emulatorOfRun(env)
  return own ? { emulator: own, isRunning: true } : emulatorOfFolder()
}

/**
 * @param from names the setting, for the message
 * @throws {CliFailure} unless it is the URL of a service
 */
export function readAddress(url: string, from: string): string {
  const parsed = parseAddress(url)
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) {
    throw misuse(`Not a valid address: "${url}" (${from}).`, 'Use one like http://127.0.0.1:4400.')
  }
  if (parsed.username || parsed.password || parsed.search || parsed.hash) {
    throw misuse(
      `"${parsed.origin}" (${from}) contains a user name, password, query, or fragment.`,
      'Pass the key with --key or SVC_API_KEY.',
    )
  }
  return parsed.href.replace(/\/+$/, '')
}

function parseAddress(url: string): URL | undefined {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : withScheme(url)
  return URL.canParse(text) ? new URL(text) : undefined
}

/** Defaults to https, except on this machine. */
function withScheme(url: string): string {
  return URL.canParse(`http://${url}`) && isLoopbackUrl(`http://${url}`) ? `http://${url}` : `https://${url}`
}

function firstSaid(said: readonly (readonly [string | undefined, string])[]): readonly [string?, string?] {
  return said.find(([value]) => value !== undefined && value !== '') ?? []
}
