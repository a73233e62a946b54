/** Emulators that nobody will find again: what was their folder is gone. */
import { readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { type Finding, type Seen, well } from './finding.js'
import { namesIn } from './folder-files.js'

/** `proc` is where Linux shows its processes; elsewhere nothing is known of them. */
export function checkProcesses(proc = '/proc'): Seen {
  const orphans = namesIn(proc)
    .filter((name) => /^\d+$/.test(name) && isEmulator(`${proc}/${name}`) && isFolderGone(`${proc}/${name}`))
    .map(Number)
  if (orphans.length === 0) return well('none orphaned')
  const findings = orphans.map(
    (pid): Finding => ({
      code: 'ORPHANED_PROCESS',
      level: 'note',
      message: `Process ${pid} is an emulator whose folder was removed.`,
      remedy: `End it: kill ${pid}`,
    }),
  )
  return { said: `${orphans.length}`, findings }
}

/** Whether its command line is `node …/svc dev …`, or the same by the path of the file. */
function isEmulator(process: string): boolean {
  try {
    const [, script = '', command = ''] = readFileSync(`${process}/cmdline`, 'utf8').split('\0')
    return (basename(script) === 'svc' || script.endsWith('/cli/bin/run.js')) && ['dev', 'exec'].includes(command)
  } catch {
    return false
  }
}

function isFolderGone(process: string): boolean {
  try {
    return readlinkSync(`${process}/cwd`).endsWith(' (deleted)')
  } catch {
    // It has ended meanwhile, or belongs to another user.
    return false
  }
}
