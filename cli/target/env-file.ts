/** The lines of an app's `.env.local` that say where the emulator is: `svc init` writes them, `svc dev` keeps them true. */
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CliFailure, exits } from '../base/failure.js'
import { type EmulatorInfo, isPlainAddress, isPlainWord, stateFolder, writePrivateFile } from './emulator-file.js'
import { requireNoLink } from './no-link.js'

export const envFile = '.env.local'

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
  let isOwn = false
  const lines = text.split('\n').map((line) => {
    const [, prefix, name = '', end] = ownLine.exec(line) ?? []
    isOwn = line.trim() === ownersMark || (isOwn && name !== '')
    return isOwn && name !== '' ? `${prefix}SVC_${name}=${values[name]}${end}` : line
  })
  return lines.join('\n')
}

/**
 * Brings the lines of `svc dev` up to date in the `.env.local` of the app that a state folder belongs to. Answers the file,
 * and undefined where there are no such lines.
 */
export async function fillEnvFile(folder: string, address: Address): Promise<string | undefined> {
  if (basename(folder) !== stateFolder) return undefined
  const path = join(dirname(folder), envFile)
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined || !text.includes(ownersMark)) return undefined
  const filled = fillOwnLines(text, address)
  if (filled === text) return path
  requireNoLink(path, dirname(folder))
  await writePrivateFile(path, filled)
  return path
}
