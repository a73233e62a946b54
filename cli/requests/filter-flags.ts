import * as Flags from '@oclif/core/flags'
import type { OwnEmulator } from '../target/emulator-of-run.js'
import { findUserId } from '../target/user-id.js'
import { asDuration } from '../terminal/duration-flag.js'

/** Filters for the recorded requests. */
export const filterFlags = {
  method: Flags.string({ description: 'only this method', helpValue: 'method' }),
  path: Flags.string({ description: 'only paths with this prefix', helpValue: 'path' }),
  route: Flags.string({
    description: 'only routes whose id starts with this, for example documents or documents.list',
    helpValue: 'id',
  }),
  status: Flags.string({ description: 'only these statuses, for example 404, 4xx, or 404,500', helpValue: 'status' }),
  code: Flags.string({ description: 'only errors with this code', helpValue: 'code' }),
  user: Flags.string({ description: 'only requests by this user (email or id)', helpValue: 'user' }),
  slow: Flags.integer({
    ...asDuration({ unit: 'ms' }),
    description: 'only requests that took at least this long, for example 300ms or 2s (a plain number is milliseconds)',
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

/**
 * Converts the flags for the control API, which identifies users by id.
 *
 * @throws {CliFailure} `NOT_FOUND` if no user has the email
 */
export async function readFilter(emulator: OwnEmulator, flags: Filter) {
  const { method, path, route, status, code, slow } = flags
  return {
    method: method?.toUpperCase(),
    path,
    route,
    status,
    code,
    user: await findUserId(emulator, flags.user),
    slow,
  }
}
