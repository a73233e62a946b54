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

/** Runs all checks, one at a time. A check that fails is a finding, and the others still run. */
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
      message: `The check failed: ${message}`,
      remedy: hint ?? 'Run svc doctor again with --debug.',
    }
    return { said: 'unknown', findings: [finding] }
  }
}

/** Returns the process that locks the folder, or undefined without a folder. */
export async function findFolderHolder(folder: string): Promise<Patient['holder']> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined
  const { findHolder } = await import('../../emulator/database/pglite/lock.js')
  return findHolder(folder)
}
