import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { nearby } from '../dev/box.js'
import type { EmulatorInfo } from '../target/emulator-file.js'
import { isProcessThere } from '../target/emulator-health.js'
import { isAccepted, notAccepted } from '../target/trust.js'
import { type Finding, type Patient, type Seen, well } from './finding.js'

/** Whether one emulator at most has the folder, answers, and is the one that commands find. */
export function checkLock({ folder, recorded, emulator, holder }: Patient): Seen {
  if (emulator) return well(`process ${emulator.pid} at ${emulator.url}`)
  const file = join(folder, 'emulator.json')
  if (recorded && !isAccepted({ path: file, url: recorded.url })) {
    const { message, hint = '' } = notAccepted({ path: file, url: recorded.url })
    return { said: 'not asked', findings: [{ code: 'NOT_TRUSTED', level: 'wrong', message, remedy: hint }] }
  }
  if (holder) return { said: 'held', findings: [heldFinding(folder, holder)] }
  if (recorded) return { said: 'no emulator runs', findings: [staleFinding(file, recorded)] }
  return well('no emulator runs')
}

function heldFinding(folder: string, { pid, url }: NonNullable<Patient['holder']>): Finding {
  const who = pid === undefined ? 'A process' : `Process ${pid}`
  const where = url === undefined ? '' : ` at ${url}`
  const message = `${who} holds ${nearby(folder)} and does not answer${where} as its emulator.`
  const end = pid === undefined ? 'End it' : `End it: kill ${pid}`
  return { code: 'NOT_ANSWERING', level: 'wrong', message, remedy: `${end}; what was answered is kept. Then: svc dev` }
}

/** One that keeps its data would hold the folder; one in memory may hang, or its number be another process's by now. */
function staleFinding(file: string, recorded: EmulatorInfo): Finding {
  const { pid, url, dataDir } = recorded
  if (dataDir === null && isProcessThere(recorded)) {
    const message = `${nearby(file)} names process ${pid} at ${url}, which does not answer as its emulator.`
    const remedy = `Look at it: ps -p ${pid}. If it is an emulator: kill ${pid}. Then: svc dev`
    return { code: 'NOT_ANSWERING', level: 'wrong', message, remedy }
  }
  const message = `${nearby(file)} names process ${pid}, which has ended without taking it away.`
  const repair = async () => {
    await rm(file, { force: true })
    return `Removed ${nearby(file)}`
  }
  return { code: 'STALE_EMULATOR_FILE', level: 'wrong', message, remedy: 'Remove it: svc doctor --repair', repair }
}
