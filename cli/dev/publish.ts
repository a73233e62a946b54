import { writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { withdrawFile } from '../files/ready-file.js'
import { type EmulatorInfo, readEmulatorFile, stateFolder, writePrivateFile } from '../target/emulator-file.js'
import { checkPresence } from '../target/emulator-health.js'
import { isAccepted } from '../target/trust.js'

export interface Published {
  /** The other emulator that commands in the folder talk to, if there is one. */
  readonly other: EmulatorInfo | undefined
  /** Removes the files, unless others have written them since. Reports those that it cannot remove. */
  withdraw(say: (words: string) => void): Promise<void>
}

interface Publication {
  readonly folder: string
  readonly readyFile: string | undefined
  /** Whether it may run next to the folder's emulator, which commands still find. */
  readonly isBeside: boolean
}

/** Writes the emulator's address to the state folder and to the file of `--ready-file`. Contract 11. */
export async function publishEmulatorInfo(
  info: EmulatorInfo,
  { folder, readyFile, isBeside }: Publication,
): Promise<Published> {
  await ignoreByGit(folder)
  const own = join(folder, 'emulator.json')
  const there = isBeside ? readEmulatorFile(own) : undefined
  const isOther = there && there.url !== info.url && isAccepted({ path: own, url: there.url })
  const other = isOther && (await checkPresence(there)) !== 'gone' ? there : undefined
  const files = [...(other ? [] : [own]), ...(readyFile === undefined ? [] : [resolve(readyFile)])]
  const content = `${JSON.stringify(info, null, 2)}\n`
  for (const file of files) await writePrivateFile(file, content)
  const withdraw = async (say: (words: string) => void) => {
    for (const file of files) {
      const found = readEmulatorFile(file)
      // Compares the address too, because containers reuse pids.
      if (found?.pid === info.pid && found.url === info.url) await withdrawFile(file, say)
    }
  }
  return { other, withdraw }
}

/** Keeps keys and data out of the repository. Leaves folders of other names alone, because they may hold other files. */
async function ignoreByGit(folder: string): Promise<void> {
  if (basename(folder) !== stateFolder) return
  await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}
