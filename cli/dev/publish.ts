import { writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { withdrawFile } from '../files/ready-file.js'
import { type EmulatorInfo, readEmulatorFile, stateFolder, writePrivateFile } from '../target/emulator-file.js'
import { checkPresence } from '../target/emulator-health.js'
import { isAccepted } from '../target/trust.js'

export interface Published {
  /** The emulator that commands in the folder speak to, where that is another one. */
  readonly other: EmulatorInfo | undefined
  /** Takes the files away again, unless others have written them since. One that cannot be is said, and fails nothing. */
  withdraw(say: (words: string) => void): Promise<void>
}

interface Place {
  readonly folder: string
  readonly readyFile: string | undefined
  /** Whether it may run beside another emulator of the folder, which stays the one that commands find. */
  readonly isBeside: boolean
}

/** Says where the emulator is: in the state folder, and in the file of `--ready-file`. Contract 11. */
export async function publishEmulatorInfo(
  info: EmulatorInfo,
  { folder, readyFile, isBeside }: Place,
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
      // Each container has a process of the same number, so the address has to be the same too.
      if (found?.pid === info.pid && found.url === info.url) await withdrawFile(file, say)
    }
  }
  return { other, withdraw }
}

/** Keys and data belong into no repository, whatever its own `.gitignore` says. A folder of another name may hold other things. */
async function ignoreByGit(folder: string): Promise<void> {
  if (basename(folder) !== stateFolder) return
  await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}
