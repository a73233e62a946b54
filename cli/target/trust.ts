/**
 * Remembers what the user trusts in a folder. Files in it may come from strangers. A remote URL they name is used, and
 * code in them runs, only after the user agreed once. Contract 12.4, decision 27.
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

/** A URL that a file of the folder names. */
export interface NamedAddress {
  /** The file: `svc.json`, or a running emulator's. */
  readonly path: string
  readonly url: string
  /** The profile that the file names instead of a URL. */
  readonly profile?: string | undefined
}

interface Accepted {
  /** Accepted URLs and profiles by folder. */
  readonly folders: { readonly [folder: string]: readonly string[] }
  /** Folders whose code may run, because svc was used in them. */
  readonly code: readonly string[]
}

/** Accepts this folder's code where no prompt is possible. */
const codeVariable = 'SVC_TRUST_CODE'

function trustFile(): string {
  return join(configFolder(), 'trusted.json')
}

/**
 * Returns whether the URL may be used: it is on this machine or was accepted for this folder. Another URL or profile
 * needs a new answer. A local profile counts as remote, because it may be a tunnel.
 */
export function isAccepted(named: NamedAddress): boolean {
  const { path, url, profile } = named
  const isHere = profile === undefined && (isLoopbackUrl(url) || isOwnEmulator(path, url))
  return isHere || (readAccepted().folders[realFolder(path)] ?? []).includes(acceptedAs(named))
}

export async function accept(named: NamedAddress): Promise<void> {
  const folder = realFolder(named.path)
  await change(({ folders, code }) => ({
    code,
    folders: { ...folders, [folder]: [...new Set([...(folders[folder] ?? []), acceptedAs(named)])] },
  }))
}

/** Formats the entry as shown and stored. */
export function acceptedAs({ url, profile }: NamedAddress): string {
  return profile === undefined ? url : `profile ${profile} (${url})`
}

/** Revokes everything accepted for the folder. */
export async function withdraw({ path }: Pick<NamedAddress, 'path'>): Promise<void> {
  const folder = realFolder(path)
  await change(({ folders: { [folder]: _, ...others }, code }) => ({
    code: code.filter((other) => other !== folder),
    folders: others,
  }))
}

/**
 * Returns whether code in the file's folder may run: it was accepted, or svc was used there before the code arrived.
 */
export function isCodeAccepted(path: string, env: NodeJS.ProcessEnv = process.env): boolean {
  return env[codeVariable] === '1' || readAccepted().code.includes(realFolder(path))
}

export async function acceptCode(path: string): Promise<void> {
  const folder = realFolder(path)
  if (readAccepted().code.includes(folder)) return
  await change(({ folders, code }) => ({
    folders,
    code: [...code.filter((other) => other !== folder && existsSync(other)), folder],
  }))
}

/** Accepts for this run only if nothing can be stored, as in a container without a home. */
export async function rememberCode(path: string): Promise<void> {
  await acceptCode(path).catch(() => undefined)
}

export function codeNotAccepted(path: string): CliFailure {
  const message = `${path} is not trusted yet, because you have not used svc in this folder before. It was not used.`
  const hint = `If you trust it: svc profiles trust. In CI: ${codeVariable}=1`
  return new CliFailure('NOT_TRUSTED', exits.notAuthorised, message, hint)
}

export function notAccepted({ path, url, profile }: NamedAddress): CliFailure {
  const what = acceptedAs({ path, url, profile })
  const variable = profile === undefined ? `SVC_URL=${shellWord(url)}` : `SVC_PROFILE=${shellWord(profile)}`
  const message = `${path} points to ${what}, which you have not trusted for this folder yet. Nothing was sent.`
  const hint = `If you trust it: svc profiles trust. In CI, set ${variable}`
  return new CliFailure('NOT_TRUSTED', exits.notAuthorised, message, hint)
}

/** `svc dev --host` writes a local address that is not loopback. */
function isOwnEmulator(path: string, url: string): boolean {
  return basename(path) === 'emulator.json' && URL.canParse(url) && ownAddresses().includes(new URL(url).hostname)
}

/** Resolves symlinks, so that a folder has one name. */
function realFolder(path: string): string {
  return realpathSync(dirname(path))
}

/** Treats an invalid file as empty. */
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
