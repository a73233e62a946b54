/**
 * The subset of the control API that `svc serve` offers on a separate port: projects, keys and audit log, users, and document
 * owners.
 */
import { version } from '../../facts/version.js'
import { audit } from '../control/access/audit.js'
import { creators } from '../control/access/creators.js'
import { keys } from '../control/access/keys.js'
import { rights } from '../control/access/rights.js'
import { buildRoutes, type ControlHandlers } from '../control/control-routes.js'
import { projects } from '../control/projects.js'
import { users } from '../control/users.js'
import type { Route } from '../route.js'
import { descriptionRoute } from '../routes/about.js'

/**
 * Leaves out operations that belong on a developer's machine, such as emptying a project or showing a user's two-factor code.
 */
const handlers = {
  projects: pick(projects, ['create', 'list', 'get', 'update', 'remove']),
  keys,
  audit,
  creators,
  rights,
  users: pick(users, ['create', 'list', 'update', 'remove', 'token', 'logOut', 'sessions']),
} satisfies { readonly [Name in keyof ControlHandlers]?: object }

const operations = buildRoutes(handlers)

export const adminRoutes: readonly Route[] = [
  ...operations,
  descriptionRoute('about.controlOpenapi', '/_svc/openapi.json', operations, version),
]

function pick<Handlers extends object, Name extends keyof Handlers>(
  all: Handlers,
  names: readonly Name[],
): Pick<Handlers, Name> {
  return Object.fromEntries(names.map((name) => [name, all[name]])) as Pick<Handlers, Name>
}
