import * as Flags from '@oclif/core/flags'
import type { OwnEmulator } from '../target/emulator-of-run.js'
import { userIdOf } from '../target/user-id.js'
import { asDuration } from '../terminal/duration-flag.js'

/** Which of the requests that the emulator keeps. */
export const filterFlags = {
  method: Flags.string({ description: 'only this method', helpValue: 'method' }),
  path: Flags.string({ description: 'only paths with this prefix', helpValue: 'path' }),
  route: Flags.string({
    description: 'only routes whose id has this prefix, as documents or documents.list',
    helpValue: 'id',
  }),
  status: Flags.string({ description: 'only these: 404, 4xx, or several with commas', helpValue: 'status' }),
  code: Flags.string({ description: 'only errors of this code', helpValue: 'code' }),
  user: Flags.string({ description: 'only requests of this user: email or id', helpValue: 'user' }),
  slow: Flags.integer({
    ...asDuration({ unit: 'ms' }),
    description: 'only those that took at least so long: 300ms, 2s, or a number of milliseconds',
  }),
}

interface Filter {
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly route?: string | undefined
  readonly status?: string | undefined
  readonly code?: string | undefined
  readonly user?: string | undefined
  readonly slow?: number | undefined
}

/** The same as the control API takes it, which knows users by id. @throws {CliFailure} `NOT_FOUND` for an email that no user has */
export async function readFilter(emulator: OwnEmulator, flags: Filter) {
  const { method, path, route, status, code, slow } = flags
  return { method: method?.toUpperCase(), path, route, status, code, user: await userIdOf(emulator, flags.user), slow }
}
