/** A `.svc/emulator.json`, as a cloned folder may contain it. */
export const emulatorFile = ({ url = 'http://127.0.0.1:1', ...fields }: { url?: string; [name: string]: unknown }) => ({
  url,
  wsUrl: url.replace(/^http/, 'ws'),
  storageUrl: `${url}/files`,
  dashboardUrl: `${url}/_svc/`,
  projectId: 'dev',
  apiKey: 'svc_key_file',
  controlToken: 'x',
  // Above the process ids of any system.
  pid: 99_999_999,
  ...fields,
})
