import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { nearby } from '../dev/box.js'
import type { EmulatorInfo } from '../target/emulator-file.js'
import { isProcessThere } from '../target/emulator-health.js'
import { isAccepted, notAccepted } from '../target/trust.js'
import { type Finding, type Patient, type Seen, well } from './finding.js'

/** Checks that at most one emulator uses the folder, that it answers, and that commands find it. */
export function checkLock({ folder, recorded, emulator, holder }: Patient): Seen {
  if (emulator) return well(`process ${emulator.pid} at ${emulator.url}`)
  const file = join(folder, 'emulator.json')
  if (recorded && !isAccepted({ path: file, url: recorded.url })) {
    const { message, hint = '' } = notAccepted({ path: file, url: recorded.url })
    return { said: 'not checked', findings: [{ code: 'NOT_TRUSTED', level: 'wrong', message, remedy: hint }] }
  }
  if (holder) return { said: 'locked', findings: [heldFinding(folder, holder)] }
  if (recorded) return { said: 'no emulator runs', findings: [staleFinding(file, recorded)] }
  return well('no emulator runs')
}

function heldFinding(folder: string, { pid, url }: NonNullable<Patient['holder']>): Finding {
  const who = pid === undefined ? 'A process' : `Process ${pid}`
  const where = url === undefined ? '' : ` at ${url}`
  const message = `${who} locks ${nearby(folder)}, but does not answer${where} as its emulator.`
  const end = pid === undefined ? 'End that process' : `End it: kill ${pid}`
  return { code: 'NOT_ANSWERING', level: 'wrong', message, remedy: `${end}. Your data is saved. Then: svc dev` }
}

/** An emulator in memory does not lock the folder. It may hang, or its pid may belong to another process by now. */
function staleFinding(file: string, recorded: EmulatorInfo): Finding {
  const { pid, url, dataDir } = recorded
  if (dataDir === null && isProcessThere(recorded)) {
    const message = `${nearby(file)} names process ${pid} at ${url}, which does not answer as its emulator.`
    const remedy = `Check it: ps -p ${pid}. If it is an emulator: kill ${pid}. Then: svc dev`
    return { code: 'NOT_ANSWERING', level: 'wrong', message, remedy }
  }
  const message = `${nearby(file)} names process ${pid}, which has ended.`
  const repair = async () => {
    await rm(file, { force: true })
    return `Removed ${nearby(file)}`
  }
  return { code: 'STALE_EMULATOR_FILE', level: 'wrong', message, remedy: 'Remove it: svc doctor --repair', repair }
}
