/**
 * Maintains the lines in an app's `.env.local` that locate the emulator. `svc init` writes them, `svc dev` updates
 * them.
 */
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CliFailure, exits } from '../base/failure.js'
import { replaceWhole } from '../files/replace-whole.js'
import { type EmulatorInfo, isPlainAddress, isPlainWord, stateFolder } from './emulator-file.js'
import { requireNoLink } from './no-link.js'

export const envFile = '.env.local'

/** Files where bundlers and `node --env-file` look for settings. */
export const envFiles = ['.env', envFile, '.env.development', '.env.development.local', '.env.test'] as const

/** Matches a line with the URL or a key of the service. */
export const envLine =
  /^\s*(?:export\s+)?(?<prefix>\w*)SVC_(?<name>URL|API_KEY|SECRET_KEY)\s*=\s*(?<quote>["']?)(?<value>.*?)\k<quote>\s*$/

/** Marks the lines below it as managed by `svc dev`. Other lines belong to the user. */
export const ownersMark = '# svc dev updates the next lines. Delete this comment to keep them as they are.'

const ownLine = /^(\w*)SVC_(URL|API_KEY)=.*?(\r?)$/

type Address = Pick<EmulatorInfo, 'url' | 'apiKey'>

/**
 * Fills in the URL and key below the mark.
 *
 * @throws {CliFailure} for values that would break out of their line: contract 12.4
 */
export function fillOwnLines(text: string, { url, apiKey }: Address): string {
  if (!isPlainAddress(url) || !(apiKey === '' || isPlainWord(apiKey))) {
    const message = `The URL or the key contains characters that are not allowed in ${envFile}.`
    throw new CliFailure('NOT_TRUSTED', exits.notAuthorised, message, 'To create new keys, delete .svc/keys')
  }
  const values: Readonly<Record<string, string>> = { URL: url, API_KEY: apiKey }
  const lines = markOwnLines(text).map(({ line, isOwn }) =>
    isOwn ? line.replace(ownLine, (_, prefix, name, end) => `${prefix}SVC_${name}=${values[name]}${end}`) : line,
  )
  return lines.join('\n')
}

/** Splits a text into lines and marks those that `svc dev` manages. */
export function markOwnLines(text: string): { readonly line: string; readonly isOwn: boolean }[] {
  let isBelow = false
  return text.split('\n').map((line) => {
    const isOwn = isBelow && ownLine.test(line)
    isBelow = isOwn || line.trim() === ownersMark
    return { line, isOwn }
  })
}

/**
 * Updates the managed lines in `.env.local` of the app. Returns the file if it then contains both the URL and the key,
 * because the user may manage either.
 */
export async function fillEnvFile(folder: string, address: Address): Promise<string | undefined> {
  if (basename(folder) !== stateFolder) return undefined
  const path = join(dirname(folder), envFile)
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined || !text.includes(ownersMark)) return undefined
  const filled = fillOwnLines(text, address)
  if (filled !== text) {
    requireNoLink(path, dirname(folder))
    await replaceEnvFile(path, filled)
  }
  return filled.includes(address.url) && filled.includes(address.apiKey) ? path : undefined
}

/** Keeps the owner, who alone may read the key. If that is not permitted, the current user becomes the owner. */
export function replaceEnvFile(path: string, content: string): Promise<void> {
  return replaceWhole(path, content, { mode: 0o600, keepsOwner: true })
}

/** Lines that `svc init` adds to `.gitignore`, with equivalent patterns from other tools. */
const ignored: Readonly<Record<string, readonly string[]>> = {
  '.svc/': [],
  [envFile]: ['.env*', '.env*.local', '*.local', '.env.*', '.env.*.local'],
  'node_modules/': [],
}

/** Required lines of `.gitignore`, each with a test for an equivalent line. */
export const ignoredLines = Object.entries(ignored).map(([line, others]) => ({
  line,
  isThere: (text: string) => bare(text) === bare(line) || others.includes(text),
}))

function bare(line: string): string {
  return line.replace(/^\/|\/$/g, '')
}

/** Returns whether `svc init` ran in this folder or the one it was cloned from. */
export function isSetUp(app: string): boolean {
  const lines = linesIn(join(app, '.gitignore')).map((line) => line.trim())
  return existsSync(join(app, 'package.json')) && ignoredLines.every(({ isThere }) => lines.some(isThere))
}

/** Returns whether an app is set up but has no env file, as in a fresh clone, because git ignores it. */
export function lacksEnvFile(app: string): boolean {
  return isSetUp(app) && !envFiles.some((file) => linesIn(join(app, file)).some((line) => envLine.test(line.trimEnd())))
}

function linesIn(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch {
    return []
  }
}
