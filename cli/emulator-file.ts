/** `.svc/emulator.json`, where a running emulator says what it is: contract 11. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isObject } from '../client/model/json.js'

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

/** The emulator file of this folder, or of the nearest one above it. */
export function findEmulatorFile(from: string = process.cwd()): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const file = join(folder, stateFolder, 'emulator.json')
    if (readEmulatorFile(file)) return file
    if (folder === dirname(folder)) return undefined
  }
}

/** What a file says of an emulator; undefined where there is no such file, or it says something else. */
export function readEmulatorFile(file: string): EmulatorInfo | undefined {
  try {
    const info: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!isObject(info) || typeof info.url !== 'string' || typeof info.apiKey !== 'string') return undefined
    return info as unknown as EmulatorInfo
  } catch {
    return undefined
  }
}

/** Writes a file that only this user can read, whole or not at all. */
export async function writePrivateFile(file: string, content: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomUUID()}`
  try {
    await writeFile(draft, content, { mode: 0o600, flag: 'wx' })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
