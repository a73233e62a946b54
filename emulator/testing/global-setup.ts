/**
 * `svc-toolkit/testing/global-setup`: a `globalSetup` for Vitest, Jest and Playwright. Starts one emulator for all
 * workers, which find it through environment variables. Under `svc exec` it uses the one that is already running.
 */

import { findEmulator } from './environment.js'
import type { TestEmulatorOptions } from './helper.js'
import { startTestEmulator } from './index.js'

/** Returns the teardown that Vitest and Playwright call. Jest ends the emulator with the process. */
export default function globalSetup(): Promise<() => Promise<void>> {
  return startForRun({})
}

/**
 * Creates a global setup that also fills the emulator's own project. Under `svc exec` it starts and fills nothing; use
 * `svc exec --seed` instead.
 *
 * @example
 * export default globalSetupWith({ seed: 'seed.json' })
 */
export function globalSetupWith(options: TestEmulatorOptions): () => Promise<() => Promise<void>> {
  return () => startForRun(options)
}

async function startForRun(options: TestEmulatorOptions): Promise<() => Promise<void>> {
  if (findEmulator(process.env)) return async () => undefined
  const emulator = await startTestEmulator(options)
  const before = Object.keys(emulator.env).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, emulator.env)
  return async () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
    await emulator.close()
  }
}
