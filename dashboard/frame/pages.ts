/** The pages, in the order of the navigation. */
import type { IconName } from '../parts/icons.js'

export interface PageEntry {
  readonly path: string
  readonly title: string
  readonly icon: IconName
  readonly group: '' | 'Store' | 'People' | 'Traffic' | 'Project'
  /** What its lists count, by name. */
  readonly count?: 'collections' | 'users' | 'files' | 'mail' | 'requests' | 'connections' | 'faults'
}

export const pages: readonly PageEntry[] = [
  { path: '/', title: 'Home', icon: 'home', group: '' },
  { path: '/data', title: 'Data', icon: 'data', group: 'Store', count: 'collections' },
  { path: '/relations', title: 'Relations', icon: 'relations', group: 'Store' },
  { path: '/console', title: 'Console', icon: 'console', group: 'Store' },
  { path: '/files', title: 'Files', icon: 'files', group: 'Store', count: 'files' },
  { path: '/snapshots', title: 'Snapshots', icon: 'snapshots', group: 'Store' },
  { path: '/users', title: 'Users', icon: 'users', group: 'People', count: 'users' },
  { path: '/provider', title: 'Login provider', icon: 'provider', group: 'People' },
  { path: '/mail', title: 'Mail', icon: 'mail', group: 'People', count: 'mail' },
  { path: '/requests', title: 'Requests', icon: 'requests', group: 'Traffic', count: 'requests' },
  { path: '/realtime', title: 'Realtime', icon: 'realtime', group: 'Traffic', count: 'connections' },
  { path: '/simulate', title: 'Simulate', icon: 'simulate', group: 'Traffic', count: 'faults' },
  { path: '/api-reference', title: 'API', icon: 'api', group: 'Project' },
  { path: '/settings', title: 'Settings', icon: 'settings', group: 'Project' },
]
