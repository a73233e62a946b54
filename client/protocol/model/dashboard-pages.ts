/** The pages of the dashboard by the names that `svc open` takes, with their paths below `/_svc/`, where `api` is the control API. */
export const dashboardPaths = {
  home: '',
  data: 'data',
  relations: 'relations',
  console: 'console',
  files: 'files',
  snapshots: 'snapshots',
  users: 'users',
  provider: 'provider',
  mail: 'mail',
  requests: 'requests',
  realtime: 'realtime',
  simulate: 'simulate',
  parity: 'parity',
  api: 'api-reference',
  settings: 'settings',
} as const

export type DashboardPage = keyof typeof dashboardPaths
