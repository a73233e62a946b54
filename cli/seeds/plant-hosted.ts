/** Seeds a service without a control API: writes documents one by one or in batches, like an app. */
import type { SeedContent } from '../../seeds/content.js'
import { badSeed, InputFailure } from '../../seeds/failure.js'
import { hasCells, openInput } from '../../seeds/records/input.js'
import { nameCollection } from '../../seeds/rows.js'
import { createIfMissing } from '../collections/create-if-missing.js'
import { type ImportSummary, importInput } from '../imports/import-input.js'
import type { RefusedRow } from '../imports/send-chunk.js'
import { noState } from '../imports/state.js'
import { type Planted, type PlantOptions, plant } from './plant.js'
import { leftBehind, takeBack } from './take-back.js'

/** @throws {InputFailure} for parts that only an emulator accepts */
export function requireHosted({ users, files }: SeedContent): void {
  const [first] = [...users, ...files]
  if (!first) return
  const message = `${first.place}: only an emulator can be seeded with users and files. Remove them from the seed for a hosted service.`
  throw new InputFailure('invalid', 'BAD_SEED', message)
}

/** @throws {InputFailure} before anything is written, for parts that only an emulator accepts */
export async function* plantContent(content: SeedContent, options: PlantOptions): AsyncGenerator<Planted> {
  requireHosted(content)
  yield* plant(content, options)
}

/**
 * Writes the documents of one collection.
 *
 * @param text the file's content, if it should not be read again
 */
export async function plantRows(
  file: string,
  text: string | undefined,
  { client, isUpsert, key, signal, target }: Omit<PlantOptions, 'file'>,
): Promise<Planted> {
  const name = nameCollection(file)
  await createIfMissing(client, { name })
  const before = await client.collection(name).count()
  if (before > 0 && !isUpsert) return { collection: name, created: 0, updated: 0, kept: before, isWhole: true }

  const created: string[] = []
  const steps = importInput({ ...(await openInput(file)), text }, noState, {
    client,
    collection: name,
    upsertBy: isUpsert ? key : undefined,
    seeds: hasCells(file) ? 'cells' : 'values',
    read: { types: new Map() },
    signal,
    onCreated: (ids) => created.push(...ids),
  })
  try {
    const { accepted, isWhole } = await withoutRefusals(file, steps)
    if (!isWhole) await takeBack(client, name, created)
    const after = await client.collection(name).count()
    return {
      collection: name,
      created: after - before,
      updated: isUpsert ? accepted - (after - before) : 0,
      kept: 0,
      isWhole,
    }
  } catch (error) {
    throw leftBehind(error, name, await takeBack(client, name, created), target)
  }
}

/**
 * Runs an import to the end.
 *
 * @throws {InputFailure} with file and line of the first refused row
 */
async function withoutRefusals(file: string, steps: ReturnType<typeof importInput>): Promise<ImportSummary> {
  const refused: RefusedRow[] = []
  let step = await steps.next()
  for (; !step.done; step = await steps.next()) refused.push(...step.value.refused)
  const [first] = refused
  if (!first) return step.value
  const more = refused.length > 1 ? `, and ${refused.length - 1} more rows are refused` : ''
  throw badSeed(`${file}:${first.line}`, `${first.reason.replace(/\.$/, '')}${more}`)
}
