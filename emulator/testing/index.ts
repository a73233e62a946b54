/** `svc-toolkit/testing`: a service for a test run, and an isolated project for each test. */
/// <reference lib="esnext.disposable" preserve="true" />
import { openAsBlob } from 'node:fs'
import type { Control } from '../../client/control.js'
import type { UntypedSchema } from '../../client/index.js'
import type { AnySchema } from '../../client/types.js'
import type { Emulator } from '../assembly/dev.js'
import { openTestEmulator } from './emulator.js'
import { readEnvironment } from './environment.js'
import type {
  PermissionCoverage,
  TestEmulator,
  TestEmulatorOptions,
  TestProject,
  TestProjectOptions,
} from './helper.js'
import { loadSnapshotFile } from './snapshot-file.js'

export type { Fault, FaultInput, FaultPreset } from '../../client/protocol/model/faults/fault.js'
export type {
  ControlCalls,
  Length,
  NewTestUser,
  PermissionCoverage,
  ProjectKeys,
  ResetChoice,
  TestClock,
  TestEmulator,
  TestEmulatorOptions,
  TestedPermission,
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
} from './helper.js'

/**
 * Starts a service in memory on a free port. Leaves nothing on disk, and doesn't keep the process running if you forget
 * to close it.
 *
 * @example
 * await using emulator = await startTestEmulator()
 * const project = await emulator.project()
 * await project.client.collections.create({ name: 'posts' })
 *
 * @throws {Error} in Jest, which cannot load ES modules. Use its `globalSetup` and `testProject` instead
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
 * Connects to the emulator that `svc exec` or the `globalSetup` of this run started.
 *
 * @throws {Error} that says how to start one
 */
export function connectTestEmulator(): TestEmulator {
  return openTestEmulator(readEnvironment(), async () => undefined)
}

/**
 * Creates an isolated project at the emulator that `svc exec` or the `globalSetup` of this run started.
 *
 * @example
 * const project = await testProject()
 * const ada = await project.users.create({ roles: ['editor'] })
 *
 * @param options settings and initial data of the project
 * @throws {Error} that says how to start an emulator, or names an unknown or invalid setting
 */
export function testProject<Schema extends AnySchema<Schema> = UntypedSchema>({
  seed,
  ...settings
}: TestProjectOptions = {}): Promise<TestProject<Schema>> {
  const making = connectTestEmulator().project<Schema>(settings)
  return making.then((project) => fill(project as object as TestProject, seed).then(() => project))
}

/**
 * Tells which permissions your tests have used, at the emulator that `svc exec` or the `globalSetup` of this run started.
 * Call it after your tests.
 *
 * @example
 * const { missed } = await permissionCoverage()
 * for (const { collection, permission, word } of missed) console.log(`${collection}: no test uses ${permission} as ${word}`)
 */
export function permissionCoverage(): Promise<PermissionCoverage> {
  return connectTestEmulator().permissionCoverage()
}

async function startInMemory(): Promise<Emulator> {
  const { startEmulator } = await loadEmulator()
  const starting = startEmulator({ memory: true, holdsProcess: false })
  // Loads the modules behind `fetch` while PGlite opens in its thread. Otherwise the first response would wait for
  // them.
  void globalThis.Response
  return starting
}

async function loadEmulator(): Promise<typeof import('../assembly/dev.js')> {
  try {
    // Loads PGlite while this thread loads the rest.
    const { startSpareThread } = await import('../database/pglite/thread.js')
    startSpareThread()
    return await import('../assembly/dev.js')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG') throw cause
    const message =
      'Jest cannot load ES modules, so the emulator cannot run in a test file. Set svc-toolkit/testing/global-setup as ' +
      'globalSetup and call testProject().'
    throw new Error(message, { cause })
  }
}

async function fill(project: TestProject, seed: TestProjectOptions['seed']): Promise<void> {
  if (typeof seed === 'function') await seed(project)
  else if (seed !== undefined) await applySeeds(project, [seed].flat())
}

/** Loads files of the app's own folder, which its tests run code from anyway. */
async function applySeeds({ id, client, control }: TestProject, words: readonly string[]): Promise<void> {
  const { applySeedFile, findSeeds } = await import('../../seeds/seed.js')
  const target = { control: control as object as Control, project: id }
  const modules = { client, allow: async () => undefined }
  for (const file of await findSeeds(words)) await applySeedFile(target, file, { modules })
}

/** Keeps the process running while waiting for the service, which does not do so itself. */
async function holdingProcess<Result>(work: () => Promise<Result>): Promise<Result> {
  const hold = setInterval(() => undefined, 60_000)
  try {
    return await work()
  } finally {
    clearInterval(hold)
  }
}
