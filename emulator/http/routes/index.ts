/** Every route there is. Control routes are apart: they are mounted only where there is a control token. */

import { clockRoutes } from '../control/clock.js'
import { healthRoutes } from '../control/health.js'
import { idpRoutes } from '../control/idp.js'
import { loginCompleteRoutes } from '../control/login-complete.js'
import { mailRoutes } from '../control/mail.js'
import { pageRoutes } from '../control/page.js'
import { processRoutes } from '../control/process.js'
import { projectRoutes } from '../control/projects.js'
import { userRoutes } from '../control/users.js'
import type { Route } from '../route.js'
import { accountRoutes } from './accounts.js'
import { batchRoutes } from './batches.js'
import { collectionRoutes } from './collections.js'
import { documentRoutes } from './documents.js'
import { mailPageRoutes } from './pages.js'
import { providerRoutes } from './providers.js'
import { realtimeRoutes } from './realtime.js'
import { storageRoutes } from './storage.js'
import { twoFactorRoutes } from './two-factor.js'
import { verificationRoutes } from './verification.js'

export const routes: readonly Route[] = [
  ...collectionRoutes,
  ...documentRoutes,
  ...batchRoutes,
  ...storageRoutes,
  ...accountRoutes,
  ...twoFactorRoutes,
  ...verificationRoutes,
  ...providerRoutes,
  ...mailPageRoutes,
  ...realtimeRoutes,
]

export const controlRoutes: readonly Route[] = [
  ...healthRoutes,
  ...processRoutes,
  ...pageRoutes,
  ...projectRoutes,
  ...userRoutes,
  ...mailRoutes,
  ...clockRoutes,
  ...idpRoutes,
  ...loginCompleteRoutes,
]
