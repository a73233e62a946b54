import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type EmulatorInfo, readEmulatorFile, writePrivateFile } from '../emulator-file.js'

export interface Published {
  readonly info: EmulatorInfo
  /** Takes the files away again, unless somebody else has written them since. */
  withdraw(): Promise<void>
}

/** Says where the emulator is: in the state folder, and in the file of `--ready-file`. Contract 11. */
export async function publish(
  info: EmulatorInfo,
  { folder, readyFile }: { folder: string; readyFile: string | undefined },
): Promise<Published> {
  const files = [join(folder, 'emulator.json'), ...(readyFile === undefined ? [] : [resolve(readyFile)])]
  for (const file of files) await writePrivateFile(file, `${JSON.stringify(info, null, 2)}\n`)
  const withdraw = async () => {
    for (const file of files) {
      if (readEmulatorFile(file)?.pid === info.pid) await rm(file, { force: true })
    }
  }
  return { info, withdraw }
}
