/**
 * Addresses that were accepted for a folder. Its files may come from anybody, so an address on another machine that
 * they name is asked, with a key or without, only after its user said so once. Contract 12.4, decision 27.
 */
import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject } from '../../client/protocol/model/json.js'
import { isLoopbackUrl } from '../../client/protocol/model/loopback.js'
import { CliFailure, exits } from '../base/failure.js'
import { writePrivateFile } from './emulator-file.js'
import { ownAddresses } from './own-names.js'
import { configFolder } from './profiles.js'

/** An address that a file of a folder names. */
export interface NamedAddress {
  /** The file: `svc.json`, or what a running emulator wrote. */
  readonly path: string
  readonly url: string
}

type Accepted = { readonly [folder: string]: readonly string[] }

function trustFile(): string {
  return join(configFolder(), 'trusted.json')
}

/** Whether it may be asked: it is on this machine, or was accepted for this folder. Another address is another question. */
export function isAccepted({ path, url }: NamedAddress): boolean {
  return isOnThisMachine(url) || (readAccepted()[folderOf(path)] ?? []).includes(url)
}

export async function accept({ path, url }: NamedAddress): Promise<void> {
  const all = readAccepted()
  const folder = folderOf(path)
  await write({ ...all, [folder]: [...new Set([...(all[folder] ?? []), url])] })
}

/** Takes back whatever was accepted for the folder. */
export async function withdraw({ path }: Pick<NamedAddress, 'path'>): Promise<void> {
  const { [folderOf(path)]: _, ...others } = readAccepted()
  await write(others)
}

export function notAccepted({ path, url }: NamedAddress): CliFailure {
  const message = `${path} names ${url}, which was never accepted for this folder. Nothing was sent.`
  const hint = `If you trust it: svc profiles trust. In CI, name it in the environment: SVC_URL=${url}`
  return new CliFailure('NOT_TRUSTED', exits.notAuthorised, message, hint)
}

function isOnThisMachine(url: string): boolean {
  if (!URL.canParse(url)) return false
  return isLoopbackUrl(url) || ownAddresses().includes(new URL(url).hostname)
}

/** A folder has one name here, by whatever links it was reached. */
function folderOf(path: string): string {
  return realpathSync(dirname(path))
}

/** A file that says something else has accepted nothing. */
function readAccepted(): Accepted {
  try {
    const content: unknown = JSON.parse(readFileSync(trustFile(), 'utf8'))
    if (!isObject(content) || !isObject(content.folders)) return {}
    const lists = Object.entries(content.folders).filter(([, urls]) => Array.isArray(urls))
    return Object.fromEntries(lists) as Accepted
  } catch {
    return {}
  }
}

function write(folders: Accepted): Promise<void> {
  return writePrivateFile(trustFile(), `${JSON.stringify({ folders }, null, 2)}\n`)
}
