/** Collects every route of the API. The control API is separate: the emulator mounts all of it, and `svc serve` a part. */

import type { Route } from '../route.js'
import { accountRoutes } from './accounts.js'
import { aggregateRoutes } from './aggregates.js'
import { batchRoutes } from './batches.js'
import { collectionRoutes } from './collections.js'
import { documentRoutes } from './documents.js'
import { exportRoutes } from './exports.js'
import { mailPageRoutes } from './pages.js'
import { providerRoutes } from './providers.js'
import { realtimeRoutes } from './realtime.js'
import { storageRoutes } from './storage.js'
import { twoFactorRoutes } from './two-factor.js'
import { verificationRoutes } from './verification.js'

export const routes: readonly Route[] = [
  ...collectionRoutes,
  ...documentRoutes,
  ...aggregateRoutes,
  ...exportRoutes,
  ...batchRoutes,
  ...storageRoutes,
  ...accountRoutes,
  ...twoFactorRoutes,
  ...verificationRoutes,
  ...providerRoutes,
  ...mailPageRoutes,
  ...realtimeRoutes,
]
