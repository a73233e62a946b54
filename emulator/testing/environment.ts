/** Shares the address of the emulator between the processes of a test run through environment variables. */
import type { EmulatorAddress, ProjectKeys } from './helper.js'

/**
 * Reads the address of the emulator that `svc exec` or the global setup of this run started.
 *
 * @throws {Error} that says how to start one
 */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): ProjectKeys & EmulatorAddress {
  const found = findEmulator(env)
  if (found) return found
  throw new Error(
    'No emulator was started for this test run. Set svc-toolkit/testing/global-setup as globalSetup in Vitest, Jest or ' +
      'Playwright, run the tests with "svc exec -- …", or call startTestEmulator().',
  )
}

/**
 * Does the same, or returns undefined. Ignores an address without a control token: it belongs to a development service,
 * which tests must not change.
 */
export function findEmulator({
  SVC_URL: url,
  SVC_CONTROL_TOKEN: controlToken,
  SVC_PROJECT_ID: id,
  SVC_API_KEY: apiKey,
  SVC_SECRET_KEY: secretKey,
}: NodeJS.ProcessEnv): (ProjectKeys & EmulatorAddress) | undefined {
  if (!url || !controlToken || !id || !apiKey || !secretKey) return undefined
  return { url, controlToken, id, apiKey, secretKey }
}
