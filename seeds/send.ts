/** Sends a seed to the emulator, which writes all or nothing. */
import { openAsBlob } from 'node:fs'
import type { Control } from '../client/control.js'
import { httpStatus, SvcError } from '../client/protocol/model/errors.js'
import type { SeedMode } from '../client/protocol/model/seed/steps.js'
import type { FileEntry } from './content.js'
import { badSeed } from './failure.js'
import { type PlacedStep, partName } from './steps.js'

/** A parsed seed. */
export interface ReadSeed {
  readonly steps: readonly PlacedStep[]
  readonly files: readonly FileEntry[]
}

/** Control API of the emulator, and the project to seed. */
export interface SeedTarget {
  readonly control: Pick<Control, 'seeds' | 'snapshots'>
  readonly project: string
}

export type SentSeed = Awaited<ReturnType<Control['seeds']['apply']>>

/** @throws {InputFailure} with the position of what the service refuses, {@link SvcError} if it does not respond */
export async function sendSeed({ control, project }: SeedTarget, seed: ReadSeed, mode: SeedMode): Promise<SentSeed> {
  const form = new FormData()
  form.set('mode', mode)
  form.set('steps', new Blob(seed.steps.map(({ step }) => `${JSON.stringify(step)}\n`)), 'steps.ndjson')
  for (const file of seed.files) form.set(partName(file), await openAsBlob(file.file), file.fileName)
  return control.seeds.apply({ project, form }).catch((error) => {
    throw placedInSeed(error, seed.steps)
  })
}

/** Adds the position in the seed to an error about a step. */
function placedInSeed(error: unknown, steps: readonly PlacedStep[]): unknown {
  if (!(error instanceof SvcError) || httpStatus(error) >= 500) return error
  const [issue] = error.issues
  const [number, ...path] = issue?.path ?? []
  const step = typeof number === 'number' ? steps[number] : undefined
  if (!step || !issue) return error
  const { place, what } = step.whereIs(path)
  const isWhole = issue.type === 'reference' || what === ''
  const message = issue.type === 'key' ? issue.message : error.message.replace(/\.$/, '')
  return badSeed(place, isWhole ? message : `"${what}": ${message}`, error)
}
