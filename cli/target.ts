/** What a command talks to: flag beats environment beats project file beats user file beats the running emulator. */
import { isIPv4 } from 'node:net'
import { type EmulatorInfo, findEmulatorFile, readEmulatorFile } from './emulator-file.js'
import { CliFailure, exits, misuse } from './failure.js'
import { readProfiles, requireProfile } from './profiles.js'
import { findProjectFile } from './project-file.js'

export interface TargetFlags {
  readonly url?: string | undefined
  readonly key?: string | undefined
  readonly dialect?: string | undefined
  readonly profile?: string | undefined
}

export interface Target {
  readonly url: string
  readonly key: string | undefined
  /** As in the `svc-dialect` header; left out, whatever the client's default is. */
  readonly dialect: string | undefined
  /** Who said so, in words: "--url", "profile \"staging\"", "the emulator of /home/ada/app". */
  readonly from: string
  readonly keyFrom: string | undefined
  /** Whether only this machine can be meant: then writes need no question. */
  readonly isLocal: boolean
  /** There, where the emulator of this folder is meant. */
  readonly emulator: EmulatorInfo | undefined
}

interface Place {
  readonly url: string
  readonly from: string
  readonly key?: string | undefined
  readonly dialect?: string | undefined
}

/**
 * @throws {CliFailure} with exit 8 if nothing names a service and no emulator runs here.
 */
export function findTarget(flags: TargetFlags, env: NodeJS.ProcessEnv = process.env): Target {
  const place = findPlace(flags, env)
  const url = readAddress(place.url, place.from)
  const emulator = findEmulator()
  const isEmulator = emulator !== undefined && emulator.url === url
  const [key, keyFrom] = firstSaid([
    [flags.key, '--key'],
    [flags.profile === undefined ? undefined : place.key, place.from],
    [env.SVC_API_KEY, 'SVC_API_KEY'],
    [place.key, place.from],
    [isEmulator ? emulator.apiKey : undefined, 'the running emulator'],
  ])
  const [dialect] = firstSaid([
    [flags.dialect, '--dialect'],
    [env.SVC_DIALECT, 'SVC_DIALECT'],
    [place.dialect, place.from],
  ])
  const isLocal = isLoopback(url)
  return { url, key, keyFrom, dialect, from: place.from, isLocal, emulator: isEmulator ? emulator : undefined }
}

function findPlace(flags: TargetFlags, env: NodeJS.ProcessEnv): Place {
  if (flags.url && flags.profile) throw misuse('--url and --profile both say where to go.', 'Give one of them.')
  if (flags.url) return { url: flags.url, from: '--url' }
  if (flags.profile) return fromProfile(flags.profile, `profile "${flags.profile}"`)
  if (env.SVC_URL) return { url: env.SVC_URL, from: 'SVC_URL' }
  if (env.SVC_PROFILE) return fromProfile(env.SVC_PROFILE, `profile "${env.SVC_PROFILE}" (SVC_PROFILE)`)
  const project = findProjectFile()
  if (project?.url) return { url: project.url, dialect: project.dialect, from: project.path }
  if (project?.profile) {
    const place = fromProfile(project.profile, `profile "${project.profile}" (${project.path})`)
    return { ...place, dialect: project.dialect ?? place.dialect }
  }
  const profiles = readProfiles()
  if (profiles.current) return fromProfile(profiles.current, `profile "${profiles.current}"`)
  const emulator = findEmulator()
  if (emulator) {
    const { url, apiKey } = emulator
    return { url, key: apiKey, dialect: project?.dialect, from: 'the running emulator' }
  }
  throw notRunning()
}

export function notRunning(cause?: unknown): CliFailure {
  const message = 'No emulator runs in this folder, and nothing names another service.'
  return new CliFailure('NOT_RUNNING', exits.notRunning, message, 'Start one: svc dev', { cause })
}

function fromProfile(name: string, from: string): Place {
  return { ...requireProfile(name), from }
}

function findEmulator(): EmulatorInfo | undefined {
  const file = findEmulatorFile()
  return file === undefined ? undefined : readEmulatorFile(file)
}

/** @throws {CliFailure} if it is no address of a service; `from` says where it was given. */
export function readAddress(url: string, from: string): string {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : withScheme(url)
  const parsed = URL.canParse(text) ? new URL(text) : undefined
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) {
    throw misuse(`"${url}" (${from}) is not an address.`, 'Write it like http://127.0.0.1:4400.')
  }
  if (parsed.username || parsed.password || parsed.search || parsed.hash) {
    throw misuse(`"${parsed.origin}" (${from}) says more than an address.`, 'Give the key with --key or SVC_API_KEY.')
  }
  return parsed.href.replace(/\/+$/, '')
}

/** Nothing but this machine is asked without encryption, unless the address says so. */
function withScheme(url: string): string {
  return URL.canParse(`http://${url}`) && isLoopback(`http://${url}`) ? `http://${url}` : `https://${url}`
}

/** Addresses that only this machine answers at. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]') return true
  // A name may begin like an address: 127.0.0.1.example.com is another machine.
  return isIPv4(hostname) && hostname.startsWith('127.')
}

function firstSaid(said: readonly (readonly [string | undefined, string])[]): readonly [string?, string?] {
  return said.find(([value]) => value !== undefined && value !== '') ?? []
}
