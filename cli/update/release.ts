/** Knows the newest release, from a file that a background process refreshes once a day. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, parseObject } from '../../client/protocol/model/json.js'
import { writePrivateFile } from '../target/emulator-file.js'
import { configFolder } from '../target/profiles.js'

export const packageName = 'svc-toolkit'

export interface KnownRelease {
  /** Time of the last lookup, in milliseconds. */
  readonly checkedAt: number
  /** Undefined if the last lookup failed, for example offline. */
  readonly latest?: string
  /** Time of the last notice, in milliseconds. */
  readonly shownAt?: number
}

export const dayMilliseconds = 86_400_000
const maxMilliseconds = 5_000
const releaseForm = /^\d+\.\d+\.\d+$/

function releaseFile(): string {
  return join(configFolder(), 'release.json')
}

export function readRelease(): KnownRelease {
  try {
    const { checkedAt, latest, shownAt } = parseObject(readFileSync(releaseFile(), 'utf8'))
    return {
      checkedAt: typeof checkedAt === 'number' ? checkedAt : 0,
      ...(typeof latest === 'string' && releaseForm.test(latest) ? { latest } : {}),
      ...(typeof shownAt === 'number' ? { shownAt } : {}),
    }
  } catch {
    return { checkedAt: 0 }
  }
}

export function writeRelease(release: KnownRelease): Promise<void> {
  return writePrivateFile(releaseFile(), `${JSON.stringify(release)}\n`)
}

/** Asks the registry for the newest release, and saves the answer. A failure is saved too, so that it asks once a day. */
export async function refreshRelease(now: number, registry = registryUrl()): Promise<KnownRelease> {
  const { shownAt } = readRelease()
  const latest = await fetchLatest(registry)
  const release = { checkedAt: now, ...(latest === undefined ? {} : { latest }), ...(shownAt ? { shownAt } : {}) }
  await writeRelease(release)
  return release
}

/** The registry of the package manager that runs `svc`, or the public one. */
function registryUrl(): string {
  return process.env.npm_config_registry ?? 'https://registry.npmjs.org/'
}

async function fetchLatest(registry: string): Promise<string | undefined> {
  try {
    const url = new URL(`${packageName}/latest`, registry.endsWith('/') ? registry : `${registry}/`)
    const answer = await fetch(url, { signal: AbortSignal.timeout(maxMilliseconds) })
    const found: unknown = answer.ok ? await answer.json() : undefined
    const version = isObject(found) ? found.version : undefined
    return typeof version === 'string' && releaseForm.test(version) ? version : undefined
  } catch {
    return undefined
  }
}

/** Compares releases by their three numbers. */
export function isNewer(one: string, other: string): boolean {
  const [first, second] = [one, other].map((version) => version.split(/[.-]/).slice(0, 3).map(Number))
  for (const at of [0, 1, 2]) {
    const difference = (first?.[at] ?? 0) - (second?.[at] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return false
}
