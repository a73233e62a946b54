/** Reads and writes `.svc/emulator.json`, which describes a running emulator: contract 11. */
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isObject } from '../../client/protocol/model/json.js'
import { replaceByDraft } from '../files/replace-file.js'

export interface EmulatorInfo {
  readonly url: string
  readonly wsUrl: string
  readonly storageUrl: string
  readonly dashboardUrl: string
  readonly projectId: string
  readonly apiKey: string
  readonly controlToken: string
  readonly pid: number
  readonly dataDir: string | null
  readonly version: string
}

export const stateFolder = '.svc'

/** Finds the emulator file in this folder or the nearest one above it. */
export function findEmulatorFile(from: string = process.cwd()): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const file = join(folder, stateFolder, 'emulator.json')
    if (readEmulatorFile(file)) return file
    if (folder === dirname(folder)) return undefined
  }
}

/**
 * Returns the named state folder. Defaults to that of this folder or the nearest one above it, whether or not an
 * emulator runs there.
 */
export function stateFolderHere(named: string | undefined, from: string = process.cwd()): string {
  if (named !== undefined) return resolve(from, named)
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, stateFolder))) return join(folder, stateFolder)
    if (folder === dirname(folder)) return join(resolve(from), stateFolder)
  }
}

/** Allows only URL and key characters: no line breaks, and nothing special to a shell. */
const address = /^(https?|wss?):\/\/[\w.:[\]-]+(\/[\w.~%/-]*)?$/
const word = /^[\w-]+$/

export function isPlainAddress(text: unknown): text is string {
  return typeof text === 'string' && address.test(text) && URL.canParse(text)
}

export function isPlainWord(text: unknown): text is string {
  return typeof text === 'string' && word.test(text)
}

/** Reads an emulator file. Undefined if it is missing or invalid. Contract 12.4. */
export function readEmulatorFile(file: string): EmulatorInfo | undefined {
  try {
    const info: EmulatorInfo = JSON.parse(readFileSync(file, 'utf8'))
    return isObject(info) && isConsistent({ ...info }) ? info : undefined
  } catch {
    return undefined
  }
}

/**
 * Validates the file, because it may come with a cloned folder: the pid must not be a process group, and no URL may
 * point to another host.
 */
function isConsistent({
  url,
  wsUrl,
  storageUrl,
  dashboardUrl,
  apiKey,
  controlToken,
  pid,
}: Readonly<Record<string, unknown>>) {
  if (!isPlainAddress(url) || !isPlainWord(apiKey) || !isPlainWord(controlToken)) return false
  const { origin } = new URL(url)
  const hasOrigin = (other: unknown, expected: string) => isPlainAddress(other) && new URL(other).origin === expected
  return (
    /^https?:$/.test(new URL(url).protocol) &&
    [storageUrl, dashboardUrl].every((other) => hasOrigin(other, origin)) &&
    hasOrigin(wsUrl, origin.replace(/^http/, 'ws')) &&
    Number.isSafeInteger(pid) &&
    Number(pid) > 1
  )
}

/** Writes a file atomically that only this user can read. */
export async function writePrivateFile(file: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await replaceByDraft(file, (draft, mode) => writeFile(draft, content, { mode, flag: 'wx' }), { mode: 0o600 })
}
