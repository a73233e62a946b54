/**
 * `svc-toolkit/testing/global-setup`: the `globalSetup` of Vitest, Jest and Playwright. It starts one emulator for all workers,
 * which find it by their environment; under `svc exec` there is one already.
 */
import { startTestEmulator } from '../testing.js'
import { findEmulator } from './environment.js'
import type { TestEmulatorOptions } from './helper.js'

/** Answers how to end it, which Vitest and Playwright do; after Jest it ends with the process. */
export default function globalSetup(): Promise<() => Promise<void>> {
  return startForRun({})
}

/**
 * A global setup that fills the emulator's own project, too. Under `svc exec` it starts nothing and fills nothing: that has `--seed`.
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
