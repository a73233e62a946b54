/** The file that types are written to. */
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { isObject, parseJson } from '../../client/protocol/model/json.js'
import { withoutMark } from '../../seeds/json-text.js'
import { CliFailure, exits } from '../base/failure.js'
import { isDevice } from '../files/places.js'
import type { Repetition } from '../files/replace-file.js'
import { replaceWhole } from '../files/replace-whole.js'
import { requireNoLinkUntyped } from '../target/no-link.js'
import type { TypesFormat } from './types-text.js'
import { isOurs } from './writers/header.js'

const extensions: { readonly [Format in TypesFormat]: string } = {
  typescript: '.ts',
  'json-schema': '.json',
  zod: '.ts',
}

export interface TypesFile {
  readonly place: string
  /** Whether the user typed it for this run: no other one may be a link. */
  readonly isTyped: boolean
}

/** Where an app keeps its sources, or here. */
export function defaultTypesFile(format: TypesFormat): string {
  const name = `svc-types${extensions[format]}`
  return existsSync('src') ? join('src', name) : name
}

/** What a file's name says of its format. */
export function formatOfFile(place: string): TypesFormat {
  return extname(place) === '.json' ? 'json-schema' : 'typescript'
}

/** The package that has the client for the app of this folder: the small one, unless only the whole toolkit is named. */
export function clientPackageHere(): string {
  const manifest = readManifest(process.cwd())
  const names = ['dependencies', 'devDependencies'].flatMap((kind) => Object.keys(Object(manifest?.[kind])))
  const isWholeOnly = names.includes('svc-toolkit') && !names.includes('svc-toolkit-client')
  return isWholeOnly ? 'svc-toolkit' : 'svc-toolkit-client'
}

function readManifest(folder: string): { readonly [key: string]: unknown } | undefined {
  const place = join(folder, 'package.json')
  if (existsSync(place)) {
    const manifest = parseJson(withoutMark(readFileSync(place, 'utf8')))
    return isObject(manifest) ? manifest : undefined
  }
  return dirname(folder) === folder ? undefined : readManifest(dirname(folder))
}

/** What the file says; undefined if it is not there, or no file. @throws {CliFailure} `FILE_FAILED` if it cannot be read */
export async function readTypesFile(place: string): Promise<string | undefined> {
  if (isDevice(place)) return undefined
  try {
    return await readFile(place, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw cannot('read', place, error)
  }
}

/** Whether something is there which `svc types generate` did not write. */
export function isOfOthers(text: string | undefined): boolean {
  return text !== undefined && text.trim() !== '' && !isOurs(text)
}

/** Writes the file, whole or not at all. One that says the same stays as it is, so that nothing is built again for it. */
export async function writeTypesFile(
  { place, isTyped }: TypesFile,
  text: string,
  repetition?: Repetition,
): Promise<'written' | 'same'> {
  if (!isTyped) requireNoLinkUntyped(place)
  if ((await readTypesFile(place)) === text) return 'same'
  try {
    await mkdir(dirname(place), { recursive: true })
    await replaceWhole(place, text, repetition)
  } catch (error) {
    throw cannot('written', place, error)
  }
  return 'written'
}

function cannot(what: 'read' | 'written', place: string, error: unknown): CliFailure {
  const why = error instanceof Error ? error.message.replace(/, (open|mkdir|rename) .*$/, '') : String(error)
  // Of a mounted file that has no room, where its content is.
  const hint = error instanceof CliFailure ? error.hint : undefined
  return new CliFailure('FILE_FAILED', exits.failed, `"${place}" cannot be ${what}: ${why}.`, hint, { cause: error })
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** How the file differs from what it should say, as a patch; empty if it does not. */
export async function typesDifference(place: string, is: string | undefined, should: string): Promise<string> {
  if (is === should) return ''
  const { createTwoFilesPatch } = await import('diff')
  const patch = createTwoFilesPatch(place, place, is ?? '', should, 'as it is', 'as it would be written', {
    context: 2,
  })
  return patch.replace(/^=+\n/, '')
}
