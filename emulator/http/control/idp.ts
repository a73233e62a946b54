import { controlPath } from '../../../client/protocol/control/operations.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Backend } from '../../core/context.js'
import { requireProject } from '../../core/projects/require-project.js'
import { startLogin } from '../../core/providers/provider-logins.js'
import { recordStart } from '../login-hops.js'
import type { ControlHandlers } from './control-routes.js'

export const idp: ControlHandlers['idp'] = {
  accounts: {
    list: async (backend) => ({ accounts: await local(backend).accounts.list() }),
    add(backend, { request: { name, email, ...rest } }) {
      const account = { name: name ?? rest.id, email: email === undefined ? `${rest.id}@example.com` : email, ...rest }
      return local(backend).accounts.add(account)
    },
    change(backend, { params, request }) {
      const changes = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))
      return local(backend).accounts.change(params.account, changes)
    },
    async remove(backend, { params }) {
      await local(backend).accounts.remove(params.account)
      return { id: params.account }
    },
  },
  faults: {
    list: shownFaults,
    set(backend, { request }) {
      local(backend).faults.set(request)
      return shownFaults(backend)
    },
    clear(backend, { request }) {
      local(backend).faults.clear(request.client)
      return shownFaults(backend)
    },
  },
  logins: {
    async start(backend, { request: { project, provider, completeUrl } }) {
      const scope = { backend, db: backend.db, project: await requireProject(backend, project) }
      const asked = {
        method: 'POST',
        path: `${controlPath}/idp/logins`,
        request: [['completeUrl', completeUrl] as const],
      }
      const start = startLogin(scope, { completeUrl, ...(provider === undefined ? {} : { provider }) })
      return { url: await recordStart(scope, { provider, ...asked }, start) }
    },
  },
  flows: {
    list: (backend, { request: { project } }) => ({ flows: local(backend).flows.list(project) }),
  },
}

function shownFaults(backend: Backend) {
  return { faults: local(backend).faults.list() }
}

function local({ localProvider }: Backend): NonNullable<Backend['localProvider']> {
  if (localProvider) return localProvider
  throw new SvcError('NOT_FOUND', 'The built-in identity provider is not available.')
}
