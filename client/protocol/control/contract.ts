/** Requests and replies of all operations of the control API. Routes, OpenAPI and the typed client derive from it. */

import { audit } from './access/audit.js'
import { creators } from './access/creators.js'
import { keys } from './access/keys.js'
import { rights } from './access/rights.js'
import { clock } from './clock.js'
import { connections } from './connections.js'
import { coverage } from './coverage.js'
import { dependants } from './dependants.js'
import { events } from './events.js'
import { faults } from './faults.js'
import { health } from './health.js'
import { history } from './history.js'
import { idp } from './idp.js'
import { indexes } from './indexes.js'
import { info } from './info.js'
import { mailbox } from './mail.js'
import type { OperationsOf } from './operation.js'
import type { operations } from './operations.js'
import { parity } from './parity.js'
import { process } from './process.js'
import { projects } from './projects.js'
import { requests } from './requests.js'
import { schemas } from './schemas.js'
import { seeds } from './seeds.js'
import { snapshots } from './snapshots.js'
import { sql } from './sql.js'
import { users } from './users.js'

export const contract = {
  health,
  info,
  process,
  projects,
  keys,
  audit,
  rights,
  coverage,
  schemas,
  dependants,
  creators,
  snapshots,
  indexes,
  history,
  sql,
  users,
  seeds,
  mail: mailbox,
  requests,
  connections,
  events,
  faults,
  clock,
  idp,
  parity,
} satisfies OperationsOf<typeof operations>

export type Contract = typeof contract
