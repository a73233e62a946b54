/** Where the operations of a migration are kept until all of them are carried out, so that one that was stopped goes on. */
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { InputFailure } from '../../seeds/failure.js'
import { type ImportSource, openInput } from '../../seeds/records/input.js'
import { noFile } from '../base/failure.js'
import { type Claim, claim, claimOfOther } from '../files/claim.js'
import { hashOf } from '../files/hash.js'
import { writeLines } from '../files/write-lines.js'
import { openState, type StateFile } from '../imports/state.js'
import { recordsFolder } from '../target/records-folder.js'

export interface MigrationPlace {
  /** Of the service and the collection there, which a fresh database may have anew. */
  readonly url: string
  readonly collectionId: string
  readonly module: string
  /** What the user chose the documents by. */
  readonly conditions: readonly string[]
}

/** Operations that are worked out, and how many of them are carried out. */
export interface KeptOperations {
  readonly input: ImportSource
  readonly state: StateFile
  remove(): Promise<void>
}

export interface MigrationFiles {
  /** Another process that is at the same migration; of a dry run, which looks at nothing else then. */
  readonly underWay: Claim | undefined
  /** What a run that was stopped has left. */
  readonly stopped: KeptOperations | undefined
  /** Whether it was the same module, with the same conditions. */
  readonly isSame: boolean
  /** Keeps what `write` hands over, beside what was kept before; nothing where that throws. */
  keep<Result>(write: (line: (text: string) => Promise<void>) => Promise<Result>): Promise<Result & KeptOperations>
  /** Removes what was kept before, but for what a run goes on with. */
  removeKept(): Promise<void>
}

/**
 * Locks them until this process ends; a dry run needs no lock. With `restart`, what is known of a run that was stopped is not read.
 *
 * @throws {CliFailure} where there is no such module; `IN_USE` where another process holds their lock
 */
export async function openMigrationFiles(
  { url, collectionId, module, conditions }: MigrationPlace,
  { isDry, restart }: { readonly isDry: boolean; readonly restart: boolean },
): Promise<MigrationFiles> {
  const folder = join(recordsFolder(), 'migrations')
  const code = await readFile(module, 'utf8').catch((cause) => {
    throw noFile(module, cause)
  })
  const name = digest([url, collectionId, resolve(module)])
  const same = `${name}.${digest([code, ...conditions])}.`
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const place = join(folder, name)
  if (!isDry) claim(place, { message: `Another run of "${module}" is under way.`, hint: 'Wait for it, or stop it' })
  const underWay = isDry ? claimOfOther(place) : undefined
  const names = underWay ? [] : await readdir(folder)
  const kept: { file: string; operations: KeptOperations }[] = []
  for (const file of names) {
    if (!file.startsWith(name) || !file.endsWith('.ndjson')) continue
    const operations = await openOperations(folder, file, { restart }).catch((error) => {
      // A dry run holds no lock: a run may have ended, and removed its operations.
      if (!isDry || !(error instanceof InputFailure && error.code === 'NO_FILE')) throw error
      return undefined
    })
    if (operations) kept.push({ file, operations })
  }
  // Those without a state were left by a process that was killed before it carried out any.
  const stopped = kept.find(({ operations }) => operations.state.found)

  return {
    underWay,
    stopped: stopped?.operations,
    isSame: stopped?.file.startsWith(same) === true,
    async keep(write) {
      // None of them was begun. With `restart` that is not known: they stay until these are carried out.
      if (!restart) for (const { operations } of kept) await operations.remove()
      // By a name of its own: what a run that was stopped has left stays until these are carried out.
      const file = `${same}${randomUUID().slice(0, 8)}.ndjson`
      const path = join(folder, file)
      try {
        const result = await writeLines(path, write)
        return { ...result, ...(await openOperations(folder, file)) }
      } catch (error) {
        await rm(path, { force: true })
        throw error
      }
    },
    async removeKept() {
      for (const one of kept) if (one !== stopped) await one.operations.remove()
    },
  }
}

async function openOperations(folder: string, file: string, { restart = false } = {}): Promise<KeptOperations> {
  const input = await openInput(join(folder, file))
  const state = await openState(folder, input, [], { restart, isLocked: false })
  return {
    input,
    state,
    async remove() {
      await rm(join(folder, file), { force: true })
      state.remove()
    },
  }
}

function digest(parts: readonly string[]): string {
  return hashOf(parts).slice(0, 24)
}
