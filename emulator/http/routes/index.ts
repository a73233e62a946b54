/** Every route there is. Control routes are apart: they are mounted only where there is a control token. */
import type { Route } from '../route.js'
import { accountRoutes } from './accounts.js'
import { batchRoutes } from './batches.js'
import { collectionRoutes } from './collections.js'
import { healthRoutes } from './control/health.js'
import { pageRoutes } from './control/page.js'
import { projectRoutes } from './control/projects.js'
import { documentRoutes } from './documents.js'
import { twoFactorRoutes } from './two-factor.js'

export const routes: readonly Route[] = [
  ...collectionRoutes,
  ...documentRoutes,
  ...batchRoutes,
  ...accountRoutes,
  ...twoFactorRoutes,
]

export const controlRoutes: readonly Route[] = [...healthRoutes, ...pageRoutes, ...projectRoutes]
