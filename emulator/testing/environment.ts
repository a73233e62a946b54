/** How the processes of a test run find the emulator that one of them has started: by their environment. */
import type { EmulatorAddress, ProjectKeys } from './helper.js'

/**
 * The emulator that `svc exec` or the global setup of this run has started.
 *
 * @throws {Error} that says how to start one
 */
export function emulatorOfEnvironment(env: NodeJS.ProcessEnv = process.env): ProjectKeys & EmulatorAddress {
  const found = findEmulator(env)
  if (found) return found
  throw new Error(
    'No emulator was started for this test run. Name svc-toolkit/testing/global-setup as the globalSetup of Vitest, Jest or ' +
      'Playwright, run the tests with "svc exec -- …", or call startTestEmulator().',
  )
}

/** The same, or nothing. An address without a control token is a service in use for development: tests leave it alone. */
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
