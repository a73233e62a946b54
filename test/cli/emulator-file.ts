/** What `.svc/emulator.json` holds, as a folder may bring it. */
export const emulatorFile = ({ url = 'http://127.0.0.1:1', ...fields }: { url?: string; [name: string]: unknown }) => ({
  url,
  wsUrl: url.replace(/^http/, 'ws'),
  storageUrl: `${url}/files`,
  dashboardUrl: `${url}/_svc/`,
  projectId: 'dev',
  apiKey: 'svc_key_file',
  controlToken: 'x',
  // No system has so many processes.
  pid: 99_999_999,
  ...fields,
})
