/** Orphaned emulators: what was their folder is gone. */
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
    return (basename(script) === 'svc' || script.endsWith('/cli/bin/run.js')) && ['dev', 'up', 'exec'].includes(command)
  } catch {
    return false
  }
}

/** The folder that it was started in, or its state folder, where another may be by now. */
function isFolderGone(process: string): boolean {
  const open = namesIn(`${process}/fd`).map((name) => linkOf(`${process}/fd/${name}`))
  return linkOf(`${process}/cwd`).endsWith(' (deleted)') || open.some((path) => removedFiles.test(path))
}

/** What an emulator keeps open as long as it runs; of the database's files, some are deleted in the course of its work. */
const removedFiles = /\/files\/[0-9a-f-]{36} \(deleted\)$/

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    // It has ended meanwhile, or belongs to another user.
    return ''
  }
}
