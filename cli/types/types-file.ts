/** Reads and writes the file of types. */
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { isObject, parseJson } from '../../client/protocol/model/json.js'
import { withoutMark } from '../../seeds/json-text.js'
import type { TypesFormat } from '../../types/types-text.js'
import { isOurs } from '../../types/writers/header.js'
import { CliFailure, exits } from '../base/failure.js'
import { isDevice } from '../files/places.js'
import type { Repetition } from '../files/replace-file.js'
import { replaceWhole } from '../files/replace-whole.js'
import { requireNoLinkUntyped } from '../target/no-link.js'

const extensions: { readonly [Format in TypesFormat]: string } = {
  typescript: '.ts',
  'json-schema': '.json',
  zod: '.ts',
}

export interface TypesFile {
  readonly place: string
  /** Whether the user passed the path for this run. Otherwise it must not be a symlink. */
  readonly isTyped: boolean
}

/** Defaults to `src`, if the app has one. */
export function defaultTypesFile(format: TypesFormat): string {
  const name = `svc-types${extensions[format]}`
  return existsSync('src') ? join('src', name) : name
}

/** Picks the format by file extension. */
export function formatOfFile(place: string): TypesFormat {
  return extname(place) === '.json' ? 'json-schema' : 'typescript'
}

/** Picks the client package that the app depends on. Defaults to the small one. */
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

/**
 * Reads the file. Undefined if it does not exist or is a device.
 *
 * @throws {CliFailure} `FILE_FAILED` if it cannot be read
 */
export async function readTypesFile(place: string): Promise<string | undefined> {
  if (isDevice(place)) return undefined
  try {
    return await readFile(place, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw cannot('read', place, error)
  }
}

/** Returns whether the file has content that `svc types generate` did not write. */
export function isForeign(text: string | undefined): boolean {
  return text !== undefined && text.trim() !== '' && !isOurs(text)
}

/** Writes the file atomically. Leaves an identical file alone, so that watchers do not rebuild. */
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
  // Carries the hint that says where the content went if a mounted file had no space.
  const hint = error instanceof CliFailure ? error.hint : undefined
  return new CliFailure('FILE_FAILED', exits.failed, `"${place}" cannot be ${what}: ${why}.`, hint, { cause: error })
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** Returns the difference as a patch. Empty if there is none. */
export async function typesDifference(place: string, is: string | undefined, should: string): Promise<string> {
  if (is === should) return ''
  const { createTwoFilesPatch } = await import('diff')
  const patch = createTwoFilesPatch(place, place, is ?? '', should, 'current', 'generated', {
    context: 2,
  })
  return patch.replace(/^=+\n/, '')
}
