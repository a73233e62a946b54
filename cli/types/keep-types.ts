/** Keeps a file of types up to date while the data changes. */
import type { Client } from '../../client/index.js'
import { describeTypes, type TypesStyle } from '../../types/types-text.js'
import { describeFailure } from '../base/failure.js'
import { requireNoLinkUntyped } from '../target/no-link.js'
import { isForeign, readTypesFile, type TypesFile, writeTypesFile } from './types-file.js'
import { type CollectionReader, openReader } from './watch-types.js'
import { requireNoWorse } from './worse-types.js'

export interface KeptTypes extends TypesStyle, TypesFile {
  readonly most: number
  readonly seesAll: boolean
  readonly names: readonly string[]
  readonly onWritten: (place: string) => void
  readonly onFailed: (message: string) => void
}

/** Writes the file, and rewrites it on every change until the signal aborts. Reports each failure once. */
export async function keepTypes(client: Client, kept: KeptTypes, signal: AbortSignal): Promise<void> {
  const { most, seesAll, names } = kept
  const isWanted = ({ name, id }: { name: string; id: string }) => names.includes(name) || names.includes(id)
  const reader = openReader(client, { most, seesAll, signal }, (all) =>
    names.length === 0 ? all : all.filter(isWanted),
  )
  let reported: string | undefined
  try {
    while (!signal.aborted) {
      try {
        await writeOnce(client, reader, kept)
        reported = undefined
      } catch (error) {
        const problem = describeProblem(error)
        if (!signal.aborted && problem !== reported) kept.onFailed(problem)
        reported = problem
      }
      await reader.changed()
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    reader.close()
  }
}

function describeProblem(error: unknown): string {
  const { code, message, hint } = describeFailure(error)
  // Drops other hints, because they suggest running the command again.
  const isAboutFile = code === 'FILE_FAILED' || code === 'WORSE_TYPES'
  return isAboutFile && hint !== undefined ? `${message} ${hint.replace(/\.?$/, '.')}` : message
}

async function writeOnce(client: Client, reader: CollectionReader, { place, isTyped, onWritten, ...style }: KeptTypes) {
  const types = await describeTypes(client, await reader.read(), style)
  const { text } = types
  requireNoWorse(place, await readTypesFile(place), types)
  if ((await writeTypesFile({ place, isTyped }, text, { isRepeated: true })) === 'written') onWritten(place)
}

/**
 * Returns whether the file may be overwritten without asking.
 *
 * @throws {CliFailure} if it is a symlink that the user did not pass
 */
export async function mayBeWritten({ place, isTyped }: TypesFile): Promise<boolean> {
  if (!isTyped) requireNoLinkUntyped(place)
  return !isForeign(await readTypesFile(place))
}
