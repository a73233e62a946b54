/**
 * The pages of the dashboard by the names that `svc open` takes, in the order of the navigation. Their paths are below
 * `/_svc/`, where `api` is the control API.
 */
export const dashboardPlaces = {
  home: { path: '', title: 'Home' },
  data: { path: 'data', title: 'Data' },
  relations: { path: 'relations', title: 'Relations' },
  console: { path: 'console', title: 'Console' },
  files: { path: 'files', title: 'Files' },
  snapshots: { path: 'snapshots', title: 'Snapshots' },
  users: { path: 'users', title: 'Users' },
  provider: { path: 'provider', title: 'Login provider' },
  mail: { path: 'mail', title: 'Mail' },
  requests: { path: 'requests', title: 'Requests' },
  realtime: { path: 'realtime', title: 'Realtime' },
  simulate: { path: 'simulate', title: 'Simulate' },
  parity: { path: 'parity', title: 'Parity' },
  api: { path: 'api-reference', title: 'API' },
  settings: { path: 'settings', title: 'Settings' },
} as const satisfies { readonly [page: string]: { readonly path: string; readonly title: string } }

export type DashboardPage = keyof typeof dashboardPlaces
