/** Finds the snapshot that a temporary emulator starts with. */
import { existsSync, statSync } from 'node:fs'
import { CliFailure, exits } from '../base/failure.js'
import { emulatorOfRunOrHere } from '../base/here.js'
import { copySnapshot, importSnapshot } from '../snapshots/snapshot-files.js'
import { openControl, openSnapshotControl } from '../target/control.js'
import type { EmulatorInfo } from '../target/emulator-file.js'

type Destination = Pick<EmulatorInfo, 'url' | 'controlToken' | 'projectId'>

/** Loads the found snapshot into an emulator. */
type Load = (emulator: Destination) => Promise<void>

/**
 * Finds a file that "snapshot export" wrote, else a snapshot of the emulator that runs here.
 *
 * @throws {CliFailure} with exit 4 if there is neither
 * @throws {SvcError} `NOT_FOUND`
 */
export async function findSnapshot(word: string): Promise<Load> {
  const isFile = existsSync(word) && !statSync(word).isDirectory()
  if (isFile) return (to) => load(to, () => importSnapshot(to, word, undefined))
  const from = emulatorOfRunOrHere(undefined)
  if (!from) {
    const message = `No file "${word}", and no running emulator that could have a snapshot of that name.`
    throw new CliFailure(
      'NOT_FOUND',
      exits.notFound,
      message,
      'Start the emulator: svc dev. Or pass a file from svc snapshot export.',
    )
  }
  const { name } = await openControl(from).snapshots.get({ project: from.projectId, snapshot: word })
  return (to) => load(to, () => copySnapshot(from, name, to))
}

async function load(to: Destination, take: () => Promise<{ readonly name: string }>): Promise<void> {
  const { name: snapshot } = await take()
  await openSnapshotControl(to).snapshots.load({ project: to.projectId, snapshot })
}
