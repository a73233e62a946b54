/** `svc-toolkit/testing`: a service for one test run, and a project of its own for each test. */
import { controlClient } from '../client/control.js'
import type { ProjectSettings } from '../client/protocol/model/project.js'
import { openSender } from '../client/send.js'
import { defaultConfig } from './config.js'
import { openService } from './open-service.js'

/** What opens a project. Documents, collections and keys of one are nothing to another. */
export interface TestProject {
  readonly id: string
  readonly url: string
  readonly apiKey: string
  readonly secretKey: string
}

export interface TestEmulator {
  readonly url: string
  newProject(settings?: Partial<ProjectSettings>): Promise<TestProject>
  close(): Promise<void>
}

/**
 * Starts a service in memory on a free port.
 *
 * @example
 * const emulator = await startTestEmulator()
 * const svc = createClient(await emulator.newProject())
 */
export async function startTestEmulator(): Promise<TestEmulator> {
  const { url, controlToken, close } = await openService({ ...defaultConfig, memory: true })
  const control = controlClient(openSender({ url }).send, controlToken)
  return {
    url,
    close,
    async newProject(settings = {}) {
      const project = await control.projects.create({ settings }).catch((cause: Error) => {
        throw new Error(`The project was not made: ${cause.message}`, { cause })
      })
      return { ...project, url }
    },
  }
}
