/** All routes of the control API, for developers. */

import { audit } from '../control/access/audit.js'
import { creators } from '../control/access/creators.js'
import { keys } from '../control/access/keys.js'
import { rights } from '../control/access/rights.js'
import { clock } from '../control/clock.js'
import { connections } from '../control/connections.js'
import { buildRoutes, type ControlHandlers } from '../control/control-routes.js'
import { coverage } from '../control/coverage.js'
import { dependants } from '../control/dependants.js'
import { events } from '../control/events.js'
import { faults } from '../control/faults.js'
import { health } from '../control/health.js'
import { history } from '../control/history.js'
import { idp } from '../control/idp.js'
import { indexes } from '../control/indexes.js'
import { info } from '../control/info.js'
import { loginCompleteRoutes } from '../control/login-complete.js'
import { mail } from '../control/mail.js'
import { parity } from '../control/parity.js'
import { process } from '../control/process.js'
import { projects } from '../control/projects.js'
import { requests } from '../control/requests.js'
import { schemas } from '../control/schemas.js'
import { seeds } from '../control/seeds.js'
import { snapshotFileRoutes } from '../control/snapshot-files.js'
import { snapshots } from '../control/snapshots.js'
import { sql } from '../control/sql.js'
import { users } from '../control/users.js'
import type { Route } from '../route.js'

const handlers: ControlHandlers = {
  health,
  info,
  process,
  projects,
  keys,
  audit,
  creators,
  rights,
  coverage,
  schemas,
  dependants,
  snapshots,
  indexes,
  history,
  sql,
  users,
  seeds,
  mail,
  requests,
  connections,
  faults,
  events,
  clock,
  idp,
  parity,
}

export const controlRoutes: readonly Route[] = [...buildRoutes(handlers), ...loginCompleteRoutes, ...snapshotFileRoutes]
