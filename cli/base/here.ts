import { join, resolve } from 'node:path'
import * as Flags from '@oclif/core/flags'
import { type EmulatorInfo, findEmulatorFile, readEmulatorFile, stateFolder } from '../target/emulator-file.js'
import { emulatorOfRun, type OwnEmulator } from '../target/emulator-of-run.js'
import { isAccepted, notAccepted } from '../target/trust.js'
import { shellWord } from '../terminal/shell-word.js'
import { calledAs } from './called-as.js'
import { CliFailure, exits, reworded } from './failure.js'

export const dataFlag = Flags.string({
  description: `state folder of the emulator [default: the nearest ${stateFolder}]`,
  helpValue: 'folder',
})

/**
 * The emulator of a state folder, or of the nearest one; undefined where none has said that it runs.
 *
 * @throws {CliFailure} with exit 3 if its file names another machine, which was never accepted.
 */
export function emulatorHere(folder: string | undefined): EmulatorInfo | undefined {
  const path = folder === undefined ? findEmulatorFile() : join(resolve(folder), 'emulator.json')
  const emulator = path === undefined ? undefined : readEmulatorFile(path)
  if (path !== undefined && emulator && !isAccepted({ path, url: emulator.url })) {
    throw notAccepted({ path, url: emulator.url })
  }
  return emulator
}

/** The emulator of this test run, else the one of {@link emulatorHere}; with a folder named, only the latter. */
export function emulatorOfRunOrHere(folder: string | undefined): OwnEmulator | undefined {
  return (folder === undefined ? emulatorOfRun() : undefined) ?? emulatorHere(folder)
}

/** The same where SVC_URL is set: that service was most likely meant. */
export function noEmulatorAsked(folder?: string): CliFailure {
  const failure = noEmulator(folder)
  if (process.env.SVC_URL === undefined) return failure
  const more = 'SVC_URL is not asked: svc serve has this on its admin port, if at all.'
  return reworded(failure, ({ hint }) => ({ hint: `${hint}. ${more}` }))
}

/** What only an emulator has was asked for where none runs: exit 8. */
export function noEmulator(folder?: string, cause?: unknown): CliFailure {
  const [where, more] = folder === undefined ? ['this folder', ''] : [`"${folder}"`, ` --data ${shellWord(folder)}`]
  const hint = `Start one: ${calledAs()} dev${more}`
  return new CliFailure('NOT_RUNNING', exits.notRunning, `No emulator runs in ${where}.`, hint, { cause })
}
