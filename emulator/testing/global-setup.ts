/**
 * `svc-toolkit/testing/global-setup`: the `globalSetup` of Vitest, Jest and Playwright. It starts one emulator for all workers,
 * which find it by their environment; under `svc exec` there is one already.
 */
import { startTestEmulator } from '../testing.js'
import { findEmulator } from './environment.js'

/** Answers how to end it, which Vitest and Playwright do; after Jest it ends with the process. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  if (findEmulator(process.env)) return async () => undefined
  const emulator = await startTestEmulator()
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
