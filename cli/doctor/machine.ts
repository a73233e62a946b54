/** Checks free disk space and the clock of the machine. */
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { formatBytes } from '../../client/protocol/model/figures.js'
import { openControl } from '../target/control.js'
import { writeDuration } from '../terminal/duration.js'
import { type Finding, type Patient, type Seen, well } from './finding.js'
import { dataMadeAt } from './folder-files.js'

/** Writes are refused below this: contract, "Limits". */
const reservedBytes = 64 * 1024 * 1024
const scarceBytes = 1024 * 1024 * 1024

/** @param readFree returns the free bytes on the disk of a folder */
export async function checkDisk({ folder }: Pick<Patient, 'folder'>, readFree = freeBytes): Promise<Seen> {
  const free = await readFree(nearestThere(folder))
  const said = `${formatBytes(free)} free`
  if (free >= scarceBytes) return well(said)
  const remedy = 'Free some space, or choose a folder on another disk with --data.'
  const finding: Finding =
    free < reservedBytes
      ? {
          ...{ code: 'DISK_FULL', level: 'wrong', remedy },
          message: `${said} on the disk of "${folder}": writes are refused below ${formatBytes(reservedBytes)}.`,
        }
      : { code: 'DISK_SCARCE', level: 'note', message: `Only ${said} on the disk of "${folder}".`, remedy }
  return { said, findings: [finding] }
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

function nearestThere(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : nearestThere(dirname(folder))
}

/** Tolerates small differences between clocks. */
const toleratedMilliseconds = 60_000

export async function checkClock({ folder, emulator }: Patient, now = new Date()): Promise<Seen> {
  const findings: Finding[] = []
  const madeAt = dataMadeAt(folder)
  if (madeAt && madeAt.getTime() > now.getTime() + toleratedMilliseconds) {
    const message = `This machine's clock is at ${now.toISOString()}, before the data was created at ${madeAt.toISOString()}.`
    const remedy = "Set the machine's clock, for example with timedatectl set-ntp true."
    findings.push({ code: 'CLOCK_BEHIND', level: 'wrong', message, remedy })
  }
  const offset = emulator ? (await openControl(emulator).clock.get()).offset : 0
  if (offset !== 0) {
    const length = writeDuration(Math.abs(offset))
    const message = `The emulator's clock is ${length} ${offset > 0 ? 'ahead of' : 'behind'} this machine's clock.`
    findings.push({ code: 'CLOCK_MOVED', level: 'note', message, remedy: 'To reset it: svc clock reset' })
  }
  return { said: now.toISOString(), findings }
}
