/** Defines what the pages show. Routes, navigation, palette and `svc open` are derived from these records. */
import { type DashboardPage, dashboardPlaces } from '../client/protocol/model/dashboard-pages.js'
import type { PageRecord } from './frame/pages.js'
import { ApiPage } from './pages/api/api-page.js'
import { ConsolePage } from './pages/console/console-page.js'
import { DataPage } from './pages/data/data-page.js'
import { FilesPage } from './pages/files/files-page.js'
import { HomePage } from './pages/home/home-page.js'
import { MailPage } from './pages/mail/mail-page.js'
import { ParityPage } from './pages/parity/parity-page.js'
import { ProviderPage } from './pages/provider/provider-page.js'
import { RealtimePage } from './pages/realtime/realtime-page.js'
import { RelationsPage } from './pages/relations/relations-page.js'
import { RequestsPage } from './pages/requests/requests-page.js'
import { SettingsPage } from './pages/settings/settings-page.js'
import { SimulatePage } from './pages/simulate/simulate-page.js'
import { SnapshotsPage } from './pages/snapshots/snapshots-page.js'
import { UsersPage } from './pages/users/users-page.js'

const records: Readonly<Record<DashboardPage, Omit<PageRecord, 'path' | 'title'>>> = {
  home: {
    component: HomePage,
    icon: 'home',
    group: '',
    stale: { info: ['connection', 'clock'] },
  },
  data: {
    component: DataPage,
    below: '/:collection?/:id?',
    icon: 'data',
    group: 'Store',
    count: 'collections',
    // Document events name the changed document, so the reader invalidates it directly.
    stale: { collections: ['collection'], documents: ['collection'], document: ['collection'] },
  },
  relations: { component: RelationsPage, icon: 'relations', group: 'Store' },
  console: { component: ConsolePage, icon: 'console', group: 'Store' },
  files: {
    component: FilesPage,
    below: '/:id?',
    icon: 'files',
    group: 'Store',
    count: 'files',
    stale: { files: ['file'] },
  },
  snapshots: {
    component: SnapshotsPage,
    below: '/:name?',
    icon: 'snapshots',
    group: 'Store',
    stale: { snapshots: ['snapshot'] },
  },
  users: {
    component: UsersPage,
    below: '/:id?',
    icon: 'users',
    group: 'People',
    count: 'users',
    stale: { users: ['user', 'login'] },
  },
  provider: {
    component: ProviderPage,
    icon: 'provider',
    group: 'People',
    stale: { flows: ['login'] },
  },
  mail: {
    component: MailPage,
    below: '/:id?',
    icon: 'mail',
    group: 'People',
    count: 'mail',
    stale: { mail: ['mail'] },
  },
  requests: {
    component: RequestsPage,
    below: '/:id?',
    icon: 'requests',
    group: 'Traffic',
    count: 'requests',
  },
  realtime: {
    component: RealtimePage,
    icon: 'realtime',
    group: 'Traffic',
    count: 'connections',
    stale: { connections: ['connection'] },
  },
  simulate: {
    component: SimulatePage,
    icon: 'simulate',
    group: 'Traffic',
    count: 'faults',
    stale: { faults: ['fault'], clock: ['clock'] },
  },
  parity: { component: ParityPage, below: '/:run?', icon: 'parity', group: 'Project' },
  api: { component: ApiPage, below: '/:id?', icon: 'api', group: 'Project' },
  settings: { component: SettingsPage, icon: 'settings', group: 'Project' },
}

export const pages: readonly PageRecord[] = Object.entries(dashboardPlaces).map(([name, { path, title }]) => ({
  ...records[name as DashboardPage],
  ...{ path: `/${path}`, title },
}))

/** Lists the queries of all pages that each event group invalidates. */
export const staleQueries = pages.map(({ stale }) => stale ?? {})
