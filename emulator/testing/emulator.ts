/** An emulator for tests, with its own project and as many others as the tests create. */
import type { Control } from '../../client/control.js'
import type { UntypedSchema } from '../../client/index.js'
import type { ProjectSettings } from '../../client/protocol/model/project.js'
import type { AnySchema } from '../../client/types.js'
import { openTestClock } from './clock.js'
import type { EmulatorAddress, ProjectKeys, TestEmulator, TestProject } from './helper.js'
import { openControl, openTestProject } from './project.js'

export function openTestEmulator(
  { controlToken, ...keys }: ProjectKeys & EmulatorAddress,
  close: () => Promise<void>,
): TestEmulator {
  const control = openControl({ url: keys.url, controlToken })
  const project = <Schema extends AnySchema<Schema> = UntypedSchema>(settings?: Partial<ProjectSettings>) =>
    newProject<Schema>({ url: keys.url, controlToken, control }, settings)
  return {
    ...openTestProject(keys, { control, controlToken }),
    clock: openTestClock(control.clock),
    project,
    newProject: project,
    async permissionCoverage() {
      const { permissions } = await control.coverage.permissions()
      return {
        hit: permissions.filter(({ requests }) => requests > 0),
        missed: permissions.filter(({ requests }) => requests === 0),
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function newProject<Schema extends AnySchema<Schema>>(
  { url, controlToken, control }: EmulatorAddress & { readonly control: Control },
  settings: Partial<ProjectSettings> = {},
): Promise<TestProject<Schema>> {
  const keys = await control.projects.create({ settings }).catch((cause: Error) => {
    throw new Error(`The project could not be created: ${cause.message}`, { cause })
  })
  return openTestProject<Schema>({ ...keys, url }, { control, controlToken })
}
