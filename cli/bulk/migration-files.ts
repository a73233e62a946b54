/** Stores the operations of a migration until all are done, so that an interrupted run can resume. */
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { InputFailure } from '../../seeds/failure.js'
import { type ImportSource, openInput } from '../../seeds/records/input.js'
import { noFile } from '../base/failure.js'
import { type Claim, claim, claimOfOther } from '../files/claim.js'
import { hashJson } from '../files/hash.js'
import { writeLines } from '../files/write-lines.js'
import { openState, type StateFile } from '../imports/state.js'
import { recordsFolder } from '../target/records-folder.js'

export interface MigrationPlace {
  /** URL of the service. A fresh database may reuse the collection's name, so the id counts too. */
  readonly url: string
  readonly collectionId: string
  readonly module: string
  /** Conditions that select the documents. */
  readonly conditions: readonly string[]
}

/** Computed operations and how many of them are done. */
export interface KeptOperations {
  readonly input: ImportSource
  readonly state: StateFile
  remove(): Promise<void>
}

export interface MigrationFiles {
  /** Another process running the same migration. Set only in a dry run, which then reads nothing else. */
  readonly underWay: Claim | undefined
  /** Operations of an interrupted run. */
  readonly stopped: KeptOperations | undefined
  /** Whether that run had the same module and conditions. */
  readonly isSame: boolean
  /** Stores the lines from `write` next to earlier files. Stores nothing if `write` throws. */
  keep<Result>(write: (line: (text: string) => Promise<void>) => Promise<Result>): Promise<Result & KeptOperations>
  /** Removes earlier files, except those of the run to resume. */
  removeKept(): Promise<void>
}

/**
 * Locks the files until this process ends, except in a dry run. With `restart`, ignores the state of an interrupted
 * run.
 *
 * @throws {CliFailure} if the module does not exist; `IN_USE` if another process holds the lock
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
  if (!isDry) claim(place, { message: `Another run of "${module}" is in progress.`, hint: 'Wait for it, or stop it' })
  const underWay = isDry ? claimOfOther(place) : undefined
  const names = underWay ? [] : await readdir(folder)
  const kept: { file: string; operations: KeptOperations }[] = []
  for (const file of names) {
    if (!file.startsWith(name) || !file.endsWith('.ndjson')) continue
    const operations = await openOperations(folder, file, { restart }).catch((error) => {
      // A dry run holds no lock, so another run may have finished and removed its operations.
      if (!isDry || !(error instanceof InputFailure && error.code === 'NO_FILE')) throw error
      return undefined
    })
    if (operations) kept.push({ file, operations })
  }
  // Files without state belong to a process that was killed before it sent anything.
  const stopped = kept.find(({ operations }) => operations.state.found)

  return {
    underWay,
    stopped: stopped?.operations,
    isSame: stopped?.file.startsWith(same) === true,
    async keep(write) {
      // None of these was started. With `restart` that is unknown, so they stay until the new operations are done.
      if (!restart) for (const { operations } of kept) await operations.remove()
      // Uses a new name, because the operations of an interrupted run stay until these are done.
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
  return hashJson(parts).slice(0, 24)
}
