/** Where the operations of a migration are kept until all of them are carried out, so that one that was stopped goes on. */
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type ImportSource, openInput } from '../../seeds/records/input.js'
import { noFile } from '../base/failure.js'
import { openState, type StateFile } from '../imports/state.js'
import { isOtherProcess } from '../target/emulator-health.js'
import { configFolder } from '../target/profiles.js'

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
  /** What a run that was stopped has left. */
  readonly stopped: KeptOperations | undefined
  /** Whether it was the same module, with the same conditions. */
  readonly isSame: boolean
  /** Keeps what `write` hands over, in the place of what was kept before; nothing where that throws. */
  keep<Result>(write: (line: (text: string) => Promise<void>) => Promise<Result>): Promise<Result & KeptOperations>
}

/** @throws {CliFailure} where there is no such module */
export async function openMigrationFiles({
  url,
  collectionId,
  module,
  conditions,
}: MigrationPlace): Promise<MigrationFiles> {
  const folder = join(configFolder(), 'migrations')
  const code = await readFile(module, 'utf8').catch((cause) => {
    throw noFile(module, cause)
  })
  const name = digest([url, collectionId, resolve(module)])
  const same = `${name}.${digest([code, ...conditions])}.`
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const kept = (await readdir(folder)).filter((one) => one.startsWith(name) && one.endsWith('.ndjson'))
  let stopped: { file: string; operations: KeptOperations } | undefined
  const unfinished: KeptOperations[] = []
  for (const file of kept) {
    const operations = await openOperations(folder, file)
    if (operations.state.found) stopped = { file, operations }
    // One that is there still works them out, or waits at its question.
    else if (!isInUse(file)) unfinished.push(operations)
  }

  return {
    stopped: stopped?.operations,
    isSame: stopped?.file.startsWith(same) === true,
    async keep(write) {
      for (const { remove } of unfinished) await remove()
      await stopped?.operations.remove()
      const file = `${same}${process.pid}.ndjson`
      const path = join(folder, file)
      try {
        const result = await writeLines(path, write)
        return { ...result, ...(await openOperations(folder, file)) }
      } catch (error) {
        await rm(path, { force: true })
        throw error
      }
    },
  }
}

/** The name of a file ends in the process that has made it. */
function isInUse(file: string): boolean {
  return isOtherProcess(Number(/\.(\d{1,10})\.ndjson$/.exec(file)?.[1]))
}

async function openOperations(folder: string, file: string): Promise<KeptOperations> {
  const input = await openInput(join(folder, file))
  const state = await openState(folder, input, [])
  return {
    input,
    state,
    async remove() {
      await rm(join(folder, file), { force: true })
      state.remove()
    },
  }
}

const pieceCharacters = 256 * 1024

/** Once this has ended, the lines are on the disk. */
async function writeLines<Result>(
  path: string,
  write: (line: (text: string) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const file = await open(path, 'w', 0o600)
  try {
    let piece = ''
    const result = await write(async (text) => {
      piece += text
      if (piece.length < pieceCharacters) return
      await file.appendFile(piece)
      piece = ''
    })
    await file.appendFile(piece)
    await file.sync()
    return result
  } finally {
    await file.close()
  }
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24)
}
