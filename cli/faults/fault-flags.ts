import * as Flags from '@oclif/core/flags'
import type { OwnEmulator } from '../target/emulator-of-run.js'
import { findUserId } from '../target/user-id.js'

/** Flags that select the requests of a fault. */
export const whichFlags = {
  method: Flags.string({ description: 'only this method', helpValue: 'method' }),
  path: Flags.string({
    description: 'only matching paths: * matches a segment, ** at the end any number',
    helpValue: 'path',
  }),
  user: Flags.string({ description: 'only requests of this user: email or id', helpValue: 'user' }),
  project: Flags.string({ description: 'id of the project [default: the project of svc dev]', helpValue: 'id' }),
  'all-projects': Flags.boolean({ description: 'requests of all projects', exclusive: ['project'] }),
  seed: Flags.integer({
    min: 0,
    description: 'seed for --rate below 1; the same seed selects the same requests',
  }),
}

interface WhichFlags {
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly user?: string | undefined
  readonly project?: string | undefined
  readonly 'all-projects': boolean
  readonly seed?: number | undefined
}

/** Converts the flags for the control API. @throws {CliFailure} `NOT_FOUND` for an unknown user */
export async function whichRequests(emulator: OwnEmulator, flags: WhichFlags) {
  const { method, path, seed, user } = flags
  return {
    method: method?.toUpperCase(),
    path,
    seed,
    user: await findUserId(emulator, user),
    project: chooseProject(emulator, flags),
  }
}

function chooseProject(emulator: OwnEmulator, flags: Pick<WhichFlags, 'project' | 'all-projects'>): string | undefined {
  return flags['all-projects'] ? undefined : (flags.project ?? emulator.projectId)
}
