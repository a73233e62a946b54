/** Checks the settings that commands read: `svc.json`, profiles and the environment. */

import { statSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { parseDialect } from '../../client/protocol/wire/dialects.js'
import { describeFailure } from '../base/failure.js'
import { nearby } from '../dev/box.js'
import { profilesFile, readProfiles } from '../target/profiles.js'
import { findProjectFile } from '../target/project-file.js'
import { doubtfulAddress, findTarget } from '../target/target.js'
import { notAccepted } from '../target/trust.js'
import { shellWord } from '../terminal/shell-word.js'
import type { Finding, Patient, Seen } from './finding.js'

export function checkSettings({ emulator, env }: Patient): Seen {
  const files = [
    ...attempt('BAD_CONFIG', () => void findProjectFile()),
    ...attempt('BAD_CONFIG', () => void readProfiles()),
  ]
  const findings = files.length > 0 ? files : [...targetFindings(emulator, env), ...dialectFindings(env)]
  return {
    said: files.length > 0 ? 'invalid' : describePlace(),
    findings: [...findings, ...profileModeFindings()],
  }
}

function describePlace(): string {
  const project = findProjectFile()
  return project ? nearby(project.path) : 'no svc.json'
}

/** Checks the service that commands use without flags. */
function targetFindings(emulator: Patient['emulator'], env: NodeJS.ProcessEnv): Finding[] {
  const doubtful = doubtfulAddress({}, { env })
  if (doubtful) {
    const { message, hint = '' } = notAccepted(doubtful)
    return [{ code: 'NOT_TRUSTED', level: 'wrong', message, remedy: hint }]
  }
  let target: ReturnType<typeof findTarget>
  try {
    target = findTarget({}, { env })
  } catch (error) {
    const { code, message, hint = '' } = describeFailure(error)
    // It is fine if no emulator runs.
    return code === 'NOT_RUNNING' ? [] : [{ code, level: 'wrong', message, remedy: hint }]
  }
  const dialect = attempt('INVALID_DIALECT', () => target.dialect === undefined || parseDialect(target.dialect))
  if (!emulator || target.url === emulator.url) return dialect
  const message = `Commands use ${target.url} (${target.from}), not the emulator of this folder at ${emulator.url}.`
  const remedy = 'If you do not want that, remove the setting. To see where it is set: svc config'
  return [...dialect, { code: 'OTHER_SERVICE', level: 'note', message, remedy }]
}

function dialectFindings({ SVC_DIALECT: dialect }: NodeJS.ProcessEnv): Finding[] {
  return dialect ? attempt('INVALID_DIALECT', () => parseDialect(dialect)) : []
}

function profileModeFindings(): Finding[] {
  const path = profilesFile()
  const found = statSync(path, { throwIfNoEntry: false })
  if (process.getuid === undefined || !found || (found.mode & 0o077) === 0) return []
  const repair = async () => {
    await chmod(path, 0o600)
    return `Made ${path} private`
  }
  const message = `Other users of this machine can read the keys in ${path}.`
  return [
    {
      code: 'PROFILES_OPEN_TO_OTHERS',
      level: 'wrong',
      message,
      remedy: `Make it private: svc doctor --repair, or chmod 600 ${shellWord(path)}`,
      repair,
    },
  ]
}

/** Turns an exception into a finding. */
function attempt(code: string, work: () => unknown): Finding[] {
  try {
    work()
    return []
  } catch (error) {
    const { message, hint = 'Fix the value.' } = describeFailure(error)
    return [{ code, level: 'wrong', message, remedy: hint }]
  }
}
