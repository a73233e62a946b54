/** The types that `svc dev --types` keeps up to date. */
import { WebSocket } from 'ws'
import { createClient } from '../../client/index.js'
import { misuse } from '../base/failure.js'
import type { EmulatorInfo } from '../target/emulator-file.js'
import { fetchDirectly } from '../target/fetch-directly.js'
import { ownerKey } from '../target/owner.js'
import { keepTypes, mayBeWritten } from './keep-types.js'
import { clientPackageHere, formatOfFile, type TypesFile } from './types-file.js'
import { sampleSize } from './types-text.js'

/**
 * Writes the file whenever the data of the emulator change its types, until the answered function is called.
 *
 * @throws {CliFailure} with exit 2 where something else is in the file, with 5 where it is a link that nobody has typed
 */
export async function keepTypesOf(
  emulator: EmulatorInfo,
  { place, isTyped }: TypesFile,
  note: (words: string) => void,
): Promise<() => Promise<void>> {
  if (!(await mayBeWritten({ place, isTyped }))) {
    throw misuse(`"${place}" was not written by svc types generate.`, 'Name another file, or delete what is there.')
  }
  const over = new AbortController()
  const { url } = emulator
  const apiKey = await ownerKey({ url, emulator })
  const client = createClient({ url, apiKey, transport: 'ws', WebSocket, fetch: fetchDirectly })
  const work = keepTypes(
    client,
    {
      ...{ place, isTyped, format: formatOfFile(place), clientPackage: clientPackageHere() },
      ...{ most: sampleSize, seesAll: true, names: [] },
      onWritten: () => note(`${place} written`),
      onFailed: (message) => note(`types: ${message}`),
    },
    over.signal,
  ).catch((error: Error) => note(`types: ${error.message}`))
  return () => {
    over.abort()
    return work
  }
}
