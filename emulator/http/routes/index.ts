/** Every route of the API. Those of the control API are apart: the emulator mounts all of them, and `svc serve` a few. */

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
