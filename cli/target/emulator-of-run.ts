import type { EmulatorInfo } from './emulator-file.js'

/** Everything a command needs to act as the owner of an emulator. */
export type OwnEmulator = Pick<EmulatorInfo, 'url' | 'projectId' | 'apiKey' | 'controlToken'>

/** Reads from the environment the emulator that `svc exec` or a test setup started. */
export function emulatorOfRun(
  {
    SVC_URL: url,
    SVC_PROJECT_ID: projectId,
    SVC_API_KEY: apiKey,
    SVC_CONTROL_TOKEN: controlToken,
  }: NodeJS.ProcessEnv = process.env,
): OwnEmulator | undefined {
  return url && projectId && apiKey && controlToken ? { url, projectId, apiKey, controlToken } : undefined
}
