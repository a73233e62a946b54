/** Applies the steps of a seed, all or none. Contract 11. */
import type { SeedCollection, SeedCounts, SeedMode, SeedStep } from '../../../client/protocol/model/seed/steps.js'
import type { Context } from '../context.js'
import { projectEvent } from '../events/happenings.js'
import type { Uploads } from '../files/uploads.js'
import { callerAsOwner } from '../identity.js'
import { happened, identityChanged, inTransaction, publish, unitFor } from '../unit-of-work.js'
import { atStep } from './at-step.js'
import { insertedOrChanged } from './seed-collections.js'
import { applyDocuments } from './seed-documents.js'
import { applyFile } from './seed-files.js'
import { applyUser, hashPasswords } from './seed-users.js'
import { noCounts, requireKept, type Seeding } from './seeding.js'

export interface Seed {
  readonly mode: SeedMode
  /** Iterates over the steps from the first, each time it is called. */
  readonly steps: () => AsyncIterable<SeedStep>
  readonly uploads: Uploads
}

export interface SeedResult {
  readonly users: SeedCounts
  readonly files: SeedCounts
  readonly collections: readonly (SeedCounts & {
    readonly name: string
    readonly ids: readonly (readonly [string, string])[]
  })[]
}

/** @throws {SvcError} whose issues start with the number of the invalid step. Then applies nothing */
export async function applySeed(scope: Pick<Context, 'backend' | 'project'>, seed: Seed): Promise<SeedResult> {
  const { backend, project } = scope
  const ctx: Context = { ...unitFor(backend), project, caller: callerAsOwner(project.id) }
  // Hashes before the transaction, because hashing takes long.
  const hashes = await hashPasswords(ctx, seed.mode, numbered(seed.steps()))
  const uploads = new Map(seed.uploads.files.map((upload) => [upload.field, upload]))
  const seeding = await inTransaction(ctx, async (ctx) => {
    const seeding: Seeding = {
      ...{ ctx, mode: seed.mode, hashes, uploads },
      ...{
        known: new Map(),
        promised: new Map(),
        owned: new Map(),
        linkChecks: [],
        users: noCounts(),
        files: noCounts(),
        collections: [],
        linked: new Set(),
        readNames: () => readNames(seed),
      },
    }
    for await (const [number, step] of numbered(seed.steps())) {
      await atStep(number, () => applyStep(seeding, number, step))
    }
    requireKept(seeding)
    for (const checkLinks of seeding.linkChecks) await checkLinks()
    publish(ctx, identityChanged())
    const names = seeding.collections.map(({ collection }) => collection.name)
    happened(ctx, projectEvent(project, 'seeded', names))
    return seeding
  })
  // Sweeps the files of replaced records.
  backend.sweepFilesSoon()
  const { users, files, collections } = seeding
  return {
    ...{ users, files },
    collections: collections.map(({ collection, counts, ids = [] }) => ({ name: collection.name, ...counts, ids })),
  }
}

function applyStep(seeding: Seeding, number: number, step: SeedStep): Promise<void> {
  switch (step.step) {
    case 'file':
      return applyFile(seeding, step)
    case 'user':
      return applyUser(seeding, number, step)
    case 'collection':
      return openCollection(seeding, step)
    case 'documents':
      return applyDocuments(seeding, number, step)
  }
}

async function openCollection(seeding: Seeding, step: SeedCollection): Promise<void> {
  seeding.collections.push(await insertedOrChanged(seeding, step))
}

async function readNames({ steps }: Seed): Promise<Set<string>> {
  const names = new Set<string>()
  for await (const step of steps()) if (step.step === 'collection') names.add(step.name)
  return names
}

async function* numbered(steps: AsyncIterable<SeedStep>): AsyncGenerator<readonly [number, SeedStep]> {
  let number = 0
  for await (const step of steps) yield [number++, step]
}
