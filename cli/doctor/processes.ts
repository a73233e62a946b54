/** Finds orphaned emulators, which run although their folder was deleted. */
import { readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { type Finding, type Seen, well } from './finding.js'
import { namesIn } from './folder-files.js'

/** Looks in `/proc`, so it finds orphans on Linux only. */
export function checkProcesses(proc = '/proc'): Seen {
  const orphans = namesIn(proc)
    .filter((name) => /^\d+$/.test(name) && isEmulator(`${proc}/${name}`) && isFolderGone(`${proc}/${name}`))
    .map(Number)
  if (orphans.length === 0) return well('none orphaned')
  const findings = orphans.map(
    (pid): Finding => ({
      code: 'ORPHANED_PROCESS',
      level: 'note',
      message: `Process ${pid} is an emulator whose folder was deleted.`,
      remedy: `End it: kill ${pid}`,
    }),
  )
  return { said: `${orphans.length}`, findings }
}

/** Recognizes the command line `node [options] …/svc dev …`, or the same with the path of the file. */
function isEmulator(process: string): boolean {
  try {
    const [, ...words] = readFileSync(`${process}/cmdline`, 'utf8').split('\0')
    const [script = '', command = ''] = words.slice(words.findIndex((word) => !word.startsWith('-')))
    return (basename(script) === 'svc' || script.endsWith('/cli/bin/run.js')) && ['dev', 'up', 'exec'].includes(command)
  } catch {
    return false
  }
}

/** Checks its working folder and its state folder, whose path may exist again by now. */
function isFolderGone(process: string): boolean {
  const open = namesIn(`${process}/fd`).map((name) => readLink(`${process}/fd/${name}`))
  return readLink(`${process}/cwd`).endsWith(' (deleted)') || open.some((path) => removedFiles.test(path))
}

/** Matches deleted files that an emulator keeps open. Ignores files of the database, which deletes some itself. */
const removedFiles = /\/files\/[0-9a-f-]{36} \(deleted\)$/

function readLink(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    // The process has just ended, or belongs to another user.
    return ''
  }
}
