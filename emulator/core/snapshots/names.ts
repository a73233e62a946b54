import { SvcError } from '../../../client/protocol/model/errors.js'

/** What a name begins with that the service gives. */
const automaticPrefix = 'auto-'

const form = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/

/** No name is a path, so that it may become the name of a file. @throws {SvcError} `VALIDATION_ERROR` */
export function requireSnapshotName(name: string): void {
  if (!form.test(name) || name.includes('..')) {
    const message = 'is not the name of a snapshot; use letters, digits, ".", "_" and "-", at most 63'
    throw refused(name, message)
  }
  if (name.startsWith(automaticPrefix))
    throw refused(name, `begins with "${automaticPrefix}", as automatic snapshots do`)
}

/** A generated name, by the moment. */
export function nameOfMoment(now: Date): string {
  return now.toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-')
}

/** The name of an automatic snapshot: the moment, and the end of its id, since two can be of one moment. */
export function automaticName(now: Date, id: string): string {
  return `${automaticPrefix}${nameOfMoment(now)}-${id.slice(-4)}`
}

function refused(name: string, message: string): SvcError {
  const issue = { path: ['name'], message, type: 'name' }
  return new SvcError('VALIDATION_ERROR', `"${name.slice(0, 80)}" ${message}.`, [issue])
}
