import { join, resolve } from 'node:path'
import * as Flags from '@oclif/core/flags'
import { type EmulatorInfo, findEmulatorFile, readEmulatorFile, stateFolder } from './emulator-file.js'

export const dataFlag = Flags.string({
  description: `state folder of the emulator [default: the nearest ${stateFolder}]`,
  helpValue: 'folder',
})

/** The emulator of a state folder, or of the nearest one; undefined where none has said that it runs. */
export function emulatorHere(folder: string | undefined): EmulatorInfo | undefined {
  const file = folder === undefined ? findEmulatorFile() : join(resolve(folder), 'emulator.json')
  return file === undefined ? undefined : readEmulatorFile(file)
}
