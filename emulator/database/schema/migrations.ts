import { documents } from './0001-documents.js'
import { users } from './0002-users.js'
import { files } from './0003-files.js'
import { mails } from './0004-mails.js'
import { identityProviders } from './0005-identity-providers.js'
import { realtime } from './0006-realtime.js'
import { accounts } from './0007-accounts.js'
import { fileAudiences } from './0008-file-audiences.js'
import { order } from './0009-order.js'
import { leases } from './0010-leases.js'
import { formerTimes } from './0011-former-times.js'
import { resets } from './0012-resets.js'
import { snapshots } from './0013-snapshots.js'
import { indexUses } from './0014-index-uses.js'
import { rateWindows } from './0015-rate-windows.js'
import { schemaOrder } from './0023-schema-order.js'
import { orderOfArrival } from './0024-order-of-arrival.js'
import { knownOrder } from './0025-known-order.js'
import { instants } from './0029-instants.js'
import { keyScopes } from './access/0016-key-scopes.js'
import { creators } from './access/0018-creators.js'
import { audit } from './access/0019-audit.js'
import { servedSecret } from './access/0020-served-secret.js'
import type { Migration } from './migration.js'
import { pendingChanges } from './realtime/0017-pending-changes.js'
import { pieceOfPending } from './realtime/0021-piece-of-pending.js'
import { sharedCopies } from './realtime/0022-shared-copies.js'
import { leftNames } from './realtime/0026-left-names.js'
import { births } from './realtime/0027-births.js'
import { answersByTime } from './upkeep/0028-answers-by-time.js'

/** Every change of the tables, oldest first. */
export const migrations: readonly Migration[] = [
  documents,
  users,
  files,
  mails,
  identityProviders,
  realtime,
  accounts,
  fileAudiences,
  order,
  leases,
  formerTimes,
  resets,
  snapshots,
  indexUses,
  rateWindows,
  keyScopes,
  pendingChanges,
  creators,
  audit,
  servedSecret,
  pieceOfPending,
  sharedCopies,
  schemaOrder,
  orderOfArrival,
  knownOrder,
  leftNames,
  births,
  answersByTime,
  instants,
]
