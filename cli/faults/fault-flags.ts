import * as Flags from '@oclif/core/flags'
import type { OwnEmulator } from '../target/emulator-of-run.js'
import { findUserId } from '../target/user-id.js'

/** Which requests a fault touches. */
export const whichFlags = {
  method: Flags.string({ description: 'only this method', helpValue: 'method' }),
  path: Flags.string({
    description: 'only matching paths: * is one segment, ** at the end any number',
    helpValue: 'path',
  }),
  user: Flags.string({ description: 'only requests of this user: email or id', helpValue: 'user' }),
  project: Flags.string({ description: 'id of a project [default: that of svc dev]', helpValue: 'id' }),
  'all-projects': Flags.boolean({ description: 'every project', exclusive: ['project'] }),
  seed: Flags.integer({
    min: 0,
    description: 'seed of the random choice when the rate is below 1; the same seed chooses the same requests',
  }),
}

interface Given {
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly user?: string | undefined
  readonly project?: string | undefined
  readonly 'all-projects': boolean
  readonly seed?: number | undefined
}

/** The same as the control API takes it. @throws {CliFailure} `NOT_FOUND` for a user that there is not */
export async function whichRequests(emulator: OwnEmulator, flags: Given) {
  const { method, path, seed, user } = flags
  return {
    method: method?.toUpperCase(),
    path,
    seed,
    user: await findUserId(emulator, user),
    project: projectOf(emulator, flags),
  }
}

function projectOf(emulator: OwnEmulator, flags: Pick<Given, 'project' | 'all-projects'>): string | undefined {
  return flags['all-projects'] ? undefined : (flags.project ?? emulator.projectId)
}
