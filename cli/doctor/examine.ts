import { statSync } from 'node:fs'
import { describeFailure } from '../base/failure.js'
import { checkDataFolder } from './data-folder.js'
import { checkDatabase } from './database.js'
import { checkEnvFiles } from './env-files.js'
import { checkFiles } from './files.js'
import type { Check, Finding, Patient, Seen } from './finding.js'
import { checkIndexes } from './indexes.js'
import { checkLock } from './lock.js'
import { checkClock, checkDisk } from './machine.js'
import { checkPort } from './port.js'
import { checkProcesses } from './processes.js'
import { checkSettings } from './settings.js'
import { checkNode, checkVersions } from './versions.js'

/** In the order in which they are shown. */
const checks = {
  node: () => checkNode(),
  versions: checkVersions,
  port: checkPort,
  data: checkDataFolder,
  database: checkDatabase,
  lock: checkLock,
  disk: (patient) => checkDisk(patient),
  clock: (patient) => checkClock(patient),
  indexes: checkIndexes,
  files: checkFiles,
  settings: checkSettings,
  'env files': checkEnvFiles,
  processes: () => checkProcesses(),
} satisfies Record<string, Check>

export interface Examined extends Seen {
  readonly check: string
}

/** Everything there is to see, one check after the other. One that fails is a finding, and keeps no other from being made. */
export async function examine(patient: Patient): Promise<Examined[]> {
  const all: Examined[] = []
  for (const [check, look] of Object.entries<Check>(checks)) all.push({ check, ...(await attempt(look, patient)) })
  return all
}

async function attempt(look: Check, patient: Patient): Promise<Seen> {
  try {
    return await look(patient)
  } catch (error) {
    const { message, hint } = describeFailure(error)
    const finding: Finding = {
      code: 'NOT_CHECKED',
      level: 'wrong',
      message: `It could not be looked at: ${message}`,
      remedy: hint ?? 'Run it again with --debug.',
    }
    return { said: 'unknown', findings: [finding] }
  }
}

/** Who holds a folder, asked of the system; undefined where there is no folder. */
export async function holderOf(folder: string): Promise<Patient['holder']> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined
  const { findHolder } = await import('../../emulator/database/pglite/lock.js')
  return findHolder(folder)
}
