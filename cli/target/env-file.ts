/** The lines of an app's `.env.local` that say where the emulator is: `svc init` writes them, `svc dev` keeps them true. */
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CliFailure, exits } from '../base/failure.js'
import { replaceWhole } from '../files/replace-whole.js'
import { type EmulatorInfo, isPlainAddress, isPlainWord, stateFolder } from './emulator-file.js'
import { requireNoLink } from './no-link.js'

export const envFile = '.env.local'

/** Where bundlers and `node --env-file` look for settings. */
export const envFiles = ['.env', envFile, '.env.development', '.env.development.local', '.env.test'] as const

/** A line that says where the service is, or what opens it. */
export const envLine =
  /^\s*(?:export\s+)?(?<prefix>\w*)SVC_(?<name>URL|API_KEY|SECRET_KEY)\s*=\s*(?<quote>["']?)(?<value>.*?)\k<quote>\s*$/

/** What follows it line by line belongs to `svc dev`; a line that stands elsewhere is the user's. */
export const ownersMark = '# svc dev updates the next lines. Delete this comment to keep them as they are.'

const ownLine = /^(\w*)SVC_(URL|API_KEY)=.*?(\r?)$/

type Address = Pick<EmulatorInfo, 'url' | 'apiKey'>

/**
 * The text with this address and key in the lines below the mark.
 *
 * @throws {CliFailure} for what would be more than a value there: contract 12.4
 */
export function fillOwnLines(text: string, { url, apiKey }: Address): string {
  if (!isPlainAddress(url) || !(apiKey === '' || isPlainWord(apiKey))) {
    const message = `The address or the key has characters that do not belong into ${envFile}.`
    throw new CliFailure('NOT_TRUSTED', exits.notAuthorised, message, 'Draw other keys: remove .svc/keys')
  }
  const values: Readonly<Record<string, string>> = { URL: url, API_KEY: apiKey }
  const lines = ownLinesOf(text).map(({ line, isOwn }) =>
    isOwn ? line.replace(ownLine, (_, prefix, name, end) => `${prefix}SVC_${name}=${values[name]}${end}`) : line,
  )
  return lines.join('\n')
}

/** The lines of a text, and which of them `svc dev` fills. */
export function ownLinesOf(text: string): { readonly line: string; readonly isOwn: boolean }[] {
  let isBelow = false
  return text.split('\n').map((line) => {
    const isOwn = isBelow && ownLine.test(line)
    isBelow = isOwn || line.trim() === ownersMark
    return { line, isOwn }
  })
}

/**
 * Brings the lines of `svc dev` up to date in the `.env.local` of the app that a state folder belongs to. Answers the file
 * if it has both the address and the key then: a line of either may be the user's.
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

/** It keeps its owner, who alone may read a key. Where it cannot be given to another owner, it becomes the user's. */
export function replaceEnvFile(path: string, content: string): Promise<void> {
  return replaceWhole(path, content, { mode: 0o600, keepsOwner: true })
}

/** What `svc init` keeps out of git, and how other tools write the same. */
const ignored: Readonly<Record<string, readonly string[]>> = {
  '.svc/': [],
  [envFile]: ['.env*', '.env*.local', '*.local', '.env.*', '.env.*.local'],
  'node_modules/': [],
}

/** The lines that `.gitignore` has to have, and whether a line says the same as one of them. */
export const ignoredLines = Object.entries(ignored).map(([line, others]) => ({
  line,
  isThere: (text: string) => bare(text) === bare(line) || others.includes(text),
}))

function bare(line: string): string {
  return line.replace(/^\/|\/$/g, '')
}

/** Whether `svc init` has been in this folder, or in that of which it is a clone. */
export function isSetUp(app: string): boolean {
  const lines = linesIn(join(app, '.gitignore')).map((line) => line.trim())
  return existsSync(join(app, 'package.json')) && ignoredLines.every(({ isThere }) => lines.some(isThere))
}

/** Whether an app that is set up has no file that says where the service is, as in a fresh clone: it is not in git. */
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
