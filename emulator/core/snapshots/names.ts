import { SvcError } from '../../../client/protocol/model/errors.js'

/** Prefix of generated names. */
const automaticPrefix = 'auto-'

const form = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/

/** Checks that the name is safe as a file name. @throws {SvcError} `VALIDATION_ERROR` */
export function requireSnapshotName(name: string): void {
  if (!form.test(name) || name.includes('..')) {
    const message = 'is not a valid snapshot name. Use up to 63 letters, digits, ".", "_" and "-"'
    throw refused(name, message)
  }
  if (name.startsWith(automaticPrefix))
    throw refused(name, `starts with "${automaticPrefix}", which is reserved for automatic snapshots`)
}

/** Generates a name from the time. */
export function nameAt(now: Date): string {
  return now.toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-')
}

/** Generates the name of an automatic snapshot. Adds the end of its id, because two may have the same time. */
export function automaticName(now: Date, id: string): string {
  return `${automaticPrefix}${nameAt(now)}-${id.slice(-4)}`
}

function refused(name: string, message: string): SvcError {
  const issue = { path: ['name'], message, type: 'name' }
  return new SvcError('VALIDATION_ERROR', `"${name.slice(0, 80)}" ${message}.`, [issue])
}
