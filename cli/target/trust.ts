/**
 * What was accepted for a folder. Its files may come from strangers, so an address on another machine that they name is asked,
 * with a key or without, and code in it is run, only after its user said so once. Contract 12.4, decision 27.
 */

import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isObject } from '../../client/protocol/model/json.js'
import { isLoopbackUrl } from '../../client/protocol/model/loopback.js'
import { CliFailure, exits } from '../base/failure.js'
import { shellWord } from '../terminal/shell-word.js'
import { writePrivateFile } from './emulator-file.js'
import { ownAddresses } from './own-names.js'
import { configFolder } from './profiles.js'

/** An address that a file of a folder names. */
export interface NamedAddress {
  /** The file: `svc.json`, or what a running emulator wrote. */
  readonly path: string
  readonly url: string
  /** The user's profile that the file names in the place of an address. */
  readonly profile?: string | undefined
}

interface Accepted {
  /** The addresses and profiles of each folder. */
  readonly folders: { readonly [folder: string]: readonly string[] }
  /** Folders that svc was used in, whose code is run. */
  readonly code: readonly string[]
}

/** Accepts the code of this folder where no prompt can be shown. */
const codeVariable = 'SVC_TRUST_CODE'

function trustFile(): string {
  return join(configFolder(), 'trusted.json')
}

/**
 * Whether it may be asked: it is on this machine, or was accepted for this folder. Another address is another question, and so is
 * another profile, whose key may open another project. A profile of this machine may be a tunnel.
 */
export function isAccepted(named: NamedAddress): boolean {
  const { path, url, profile } = named
  const isHere = profile === undefined && (isLoopbackUrl(url) || isOwnEmulator(path, url))
  return isHere || (readAccepted().folders[folderOf(path)] ?? []).includes(acceptedAs(named))
}

export async function accept(named: NamedAddress): Promise<void> {
  const folder = folderOf(named.path)
  await change(({ folders, code }) => ({
    code,
    folders: { ...folders, [folder]: [...new Set([...(folders[folder] ?? []), acceptedAs(named)])] },
  }))
}

/** As it is shown, and kept. */
export function acceptedAs({ url, profile }: NamedAddress): string {
  return profile === undefined ? url : `profile ${profile} (${url})`
}

/** Takes back whatever was accepted for the folder. */
export async function withdraw({ path }: Pick<NamedAddress, 'path'>): Promise<void> {
  const folder = folderOf(path)
  await change(({ folders: { [folder]: _, ...others }, code }) => ({
    code: code.filter((other) => other !== folder),
    folders: others,
  }))
}

/** Whether code in the folder of that file may be run: it was accepted, or svc was used there before the code came. */
export function isCodeAccepted(path: string, env: NodeJS.ProcessEnv = process.env): boolean {
  return env[codeVariable] === '1' || readAccepted().code.includes(folderOf(path))
}

export async function acceptCode(path: string): Promise<void> {
  const folder = folderOf(path)
  if (readAccepted().code.includes(folder)) return
  await change(({ folders, code }) => ({
    folders,
    code: [...code.filter((other) => other !== folder && existsSync(other)), folder],
  }))
}

/** The same for this run alone where nothing can be kept, as in a container without a home. */
export async function rememberCode(path: string): Promise<void> {
  await acceptCode(path).catch(() => undefined)
}

export function codeNotAccepted(path: string): CliFailure {
  const message = `${path} was never accepted: svc was not used in this folder before. Nothing of it was used.`
  const hint = `If you trust it: svc profiles trust. In CI: ${codeVariable}=1`
  return new CliFailure('NOT_TRUSTED', exits.notAuthorised, message, hint)
}

export function notAccepted({ path, url, profile }: NamedAddress): CliFailure {
  const what = acceptedAs({ path, url, profile })
  const variable = profile === undefined ? `SVC_URL=${shellWord(url)}` : `SVC_PROFILE=${shellWord(profile)}`
  const message = `${path} names ${what}, which was never accepted for this folder. Nothing was sent.`
  const hint = `If you trust it: svc profiles trust. In CI, name it in the environment: ${variable}`
  return new CliFailure('NOT_TRUSTED', exits.notAuthorised, message, hint)
}

/** `svc dev --host` writes an address of this machine that is not loopback. */
function isOwnEmulator(path: string, url: string): boolean {
  return basename(path) === 'emulator.json' && URL.canParse(url) && ownAddresses().includes(new URL(url).hostname)
}

/** A folder has one name here, by whatever links it was reached. */
function folderOf(path: string): string {
  return realpathSync(dirname(path))
}

/** A file that says something else has accepted nothing. */
function readAccepted(): Accepted {
  try {
    const content: unknown = JSON.parse(readFileSync(trustFile(), 'utf8'))
    if (!isObject(content)) return { folders: {}, code: [] }
    const lists = isObject(content.folders) ? Object.entries(content.folders) : []
    const folders = Object.fromEntries(lists.filter(([, urls]) => Array.isArray(urls)))
    const code = Array.isArray(content.code) ? content.code.filter((folder) => typeof folder === 'string') : []
    return { folders: folders as Accepted['folders'], code }
  } catch {
    return { folders: {}, code: [] }
  }
}

async function change(to: (now: Accepted) => Accepted): Promise<void> {
  const { inTurn } = await import('../files/claim.js')
  const file = trustFile()
  await inTurn(file, () => writePrivateFile(file, `${JSON.stringify(to(readAccepted()), null, 2)}\n`))
}
