import type { EmulatorInfo } from './emulator-file.js'

/** What a command needs to speak to an emulator as its owner. */
export type OwnEmulator = Pick<EmulatorInfo, 'url' | 'projectId' | 'apiKey' | 'controlToken'>

/** The emulator that `svc exec` or the global setup of a test run has started for the process that this command runs in. */
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
