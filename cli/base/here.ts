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
 * Reads the emulator of a state folder, or of the nearest one. Returns undefined if none has started there.
 *
 * @throws {CliFailure} with exit 3 if its file names another machine that was never accepted
 */
export function emulatorHere(folder: string | undefined): EmulatorInfo | undefined {
  const path = folder === undefined ? findEmulatorFile() : join(resolve(folder), 'emulator.json')
  const emulator = path === undefined ? undefined : readEmulatorFile(path)
  if (path !== undefined && emulator && !isAccepted({ path, url: emulator.url })) {
    throw notAccepted({ path, url: emulator.url })
  }
  return emulator
}

/** Returns the emulator of this test run, unless a folder is named, else that of {@link emulatorHere}. */
export function emulatorOfRunOrHere(folder: string | undefined): OwnEmulator | undefined {
  return (folder === undefined ? emulatorOfRun() : undefined) ?? emulatorHere(folder)
}

/** Mentions SVC_URL if it is set, because that service was probably meant. */
export function noEmulatorAsked(folder?: string): CliFailure {
  const failure = noEmulator(folder)
  if (process.env.SVC_URL === undefined) return failure
  const more = 'This command does not use SVC_URL. It only works with an emulator.'
  return reworded(failure, ({ hint }) => ({ hint: `${hint}. ${more}` }))
}

/** Fails with exit 8, because no emulator runs. */
export function noEmulator(folder?: string, cause?: unknown): CliFailure {
  const [where, more] = folder === undefined ? ['this folder', ''] : [`"${folder}"`, ` --data ${shellWord(folder)}`]
  const hint = `Start one: ${calledAs()} dev${more}`
  return new CliFailure('NOT_RUNNING', exits.notRunning, `No emulator runs in ${where}.`, hint, { cause })
}
