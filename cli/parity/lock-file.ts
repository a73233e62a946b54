/** Reads `parity.lock.json`, which lists accepted differences with a reason and an end. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type Accepted, parityLock } from '../../client/protocol/control/parity.js'
import { latestEnd, parityLockName } from '../../client/protocol/model/parity.js'
import { CliFailure, exits } from '../base/failure.js'

/** @throws {CliFailure} if the file is invalid or accepts a difference for more than a year */
export function readAccepted(folder: string, now: Date): readonly Accepted[] {
  const file = join(folder, parityLockName)
  if (!existsSync(file)) return []
  const { accepted } = parse(readFileSync(file, 'utf8'))
  const latest = latestEnd(now)
  const tooLong = accepted.find(({ until }) => until > latest)
  if (tooLong) throw invalid(`"${tooLong.id}" is accepted until ${tooLong.until}. Use a date within a year.`)
  return accepted
}

function parse(text: string) {
  try {
    return parityLock.parse(JSON.parse(text))
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : []
    throw invalid(issue ? `"${issue.path.join('.')}": ${issue.message}` : 'It is not valid JSON.')
  }
}

function invalid(why: string): CliFailure {
  const hint = 'An entry is {"id": "filters.double-gt", "part": "rows", "reason": "…", "until": "2027-01-31"}.'
  return new CliFailure('INVALID_FILE', exits.invalid, `${parityLockName} is invalid. ${why}`, hint)
}
