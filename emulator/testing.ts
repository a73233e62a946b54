/** `svc-toolkit/testing`: a service for one test run, and a project of its own for each test. */
/// <reference lib="esnext.disposable" preserve="true" />
import { openAsBlob } from 'node:fs'
import type { Control } from '../client/control.js'
import type { UntypedSchema } from '../client/index.js'
import type { AnySchema } from '../client/types.js'
import type { Emulator } from './dev.js'
import { openTestEmulator } from './testing/emulator.js'
import { emulatorOfEnvironment } from './testing/environment.js'
import type { TestEmulator, TestEmulatorOptions, TestProject, TestProjectOptions } from './testing/helper.js'
import { loadSnapshotFile } from './testing/snapshot-file.js'

export type { Fault, FaultInput, FaultPreset } from '../client/protocol/model/faults/fault.js'
export type {
  ControlCalls,
  Length,
  NewTestUser,
  ProjectKeys,
  ResetChoice,
  TestClock,
  TestEmulator,
  TestEmulatorOptions,
  TestFault,
  TestFaults,
  TestMail,
  TestMailbox,
  TestProject,
  TestProjectOptions,
  TestProvider,
  TestSnapshot,
  TestUser,
  TestUsers,
  WaitOptions,
} from './testing/helper.js'

/**
 * Starts a service in memory on a free port. Nothing is left of it on the disk; a process that forgets to close it ends all the same.
 *
 * @example
 * await using emulator = await startTestEmulator()
 * const project = await emulator.project()
 * await project.client.collections.create({ name: 'posts' })
 *
 * @throws {Error} in Jest, which loads no ES modules: there its `globalSetup` starts one, and `testProject` finds it
 */
export async function startTestEmulator({ snapshot, settings, seed }: TestEmulatorOptions = {}): Promise<TestEmulator> {
  const started = await holdingProcess(startInMemory)
  const { projectId: id, url, apiKey, secretKey = '', controlToken } = started
  const close = () => holdingProcess(() => started.close())
  const emulator = openTestEmulator({ id, url, apiKey, secretKey, controlToken }, close)
  try {
    if (snapshot !== undefined) await loadSnapshotFile(emulator, { name: snapshot, bytes: await openAsBlob(snapshot) })
    if (settings) await emulator.control.projects.update({ project: id, settings })
    await fill(emulator, seed)
    return emulator
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * The emulator that `svc exec` or the `globalSetup` of this run has started, from any of its processes.
 *
 * @throws {Error} that says how to start one
 */
export function connectTestEmulator(): TestEmulator {
  return openTestEmulator(emulatorOfEnvironment(), async () => undefined)
}

/**
 * A project of its own at the emulator that `svc exec` or the `globalSetup` of this run has started.
 *
 * @example
 * const project = await testProject()
 * const ada = await project.users.create({ roles: ['editor'] })
 *
 * @param options settings of the project, and what it is filled from
 * @throws {Error} that says how to start an emulator, or which setting is not understood
 */
export function testProject<Schema extends AnySchema<Schema> = UntypedSchema>({
  seed,
  ...settings
}: TestProjectOptions = {}): Promise<TestProject<Schema>> {
  const making = connectTestEmulator().project<Schema>(settings)
  return making.then((project) => fill(project as object as TestProject, seed).then(() => project))
}

async function startInMemory(): Promise<Emulator> {
  const { startEmulator } = await loadEmulator()
  const starting = startEmulator({ memory: true, holdsProcess: false })
  // Reading it loads what `fetch` stands on: here while PGlite opens in its thread, else before the first answer.
  void globalThis.Response
  return starting
}

async function loadEmulator(): Promise<typeof import('./dev.js')> {
  try {
    // It loads PGlite while this thread loads the rest.
    const { startSpareThread } = await import('./database/pglite/thread.js')
    startSpareThread()
    return await import('./dev.js')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG') throw cause
    const message =
      'Jest loads no ES modules, so the emulator cannot run in a test file. Name svc-toolkit/testing/global-setup as ' +
      'globalSetup, and call testProject().'
    throw new Error(message, { cause })
  }
}

async function fill(project: TestProject, seed: TestProjectOptions['seed']): Promise<void> {
  if (typeof seed === 'function') await seed(project)
  else if (seed !== undefined) await applySeeds(project, [seed].flat())
}

/** Files of the project's own folder, which its tests run code of anyway. */
async function applySeeds({ id, client, control }: TestProject, words: readonly string[]): Promise<void> {
  const { applySeedFile, findSeeds } = await import('../seeds/seed.js')
  const target = { control: control as object as Control, project: id }
  const modules = { client, allow: async () => undefined }
  for (const file of await findSeeds(words)) await applySeedFile(target, file, { modules })
}

/** Nothing of the service keeps the process going, so what waits for the service does. */
async function holdingProcess<Result>(work: () => Promise<Result>): Promise<Result> {
  const hold = setInterval(() => undefined, 60_000)
  try {
    return await work()
  } finally {
    clearInterval(hold)
  }
}
