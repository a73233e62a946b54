import type { OutgoingUser } from '../../../client/protocol/model/document.js'
import { listLimits } from '../../../client/protocol/model/limits.js'
import { documentShapes } from '../../../client/protocol/wire/document/encode.js'
import { encodeData } from '../../../client/protocol/wire/document/populated.js'
import {
  changeUser,
  createUser,
  endSession,
  endSessions,
  listNewestUsers,
  listSessions,
  openTokenFor,
  readAuthenticator,
  removeUser,
} from '../../core/accounts/owner.js'
import type { ControlHandlers } from './control-routes.js'

const limits = listLimits.users

export const users: ControlHandlers['users'] = {
  create: async (backend, { params, request }) => shown(await createUser(backend, params.project, request)),
  async list(backend, { params, request: { email, after, limit } }) {
    const most = Math.min(limit || limits.usual, limits.most)
    const found = await listNewestUsers(backend, params.project, { email, after, limit: most + 1 })
    const users = found.slice(0, most)
    return { users: users.map(shown), next: found.length > most ? (users.at(-1)?.id ?? null) : null }
  },
  update: async (backend, { params, request }) => shown(await changeUser(backend, params.user, request)),
  async remove(backend, { params }) {
    await removeUser(backend, params.user)
    return { id: params.user }
  },
  token: async (backend, { params }) => ({ token: await openTokenFor(backend, params.user) }),
  async logOut(backend, { params }) {
    await endSessions(backend, params.user)
    return { id: params.user }
  },
  sessions: {
    list: async (backend, { params }) => ({ sessions: await listSessions(backend, params.user) }),
    async end(backend, { params }) {
      await endSession(backend, params.user, params.session)
      return { id: params.session }
    },
  },
  code: (backend, { params }) => readAuthenticator(backend, params.user),
}

/** In dialect a. */
function shown({ id, email, data, roles, oauthId, emailVerified, createdAt, updatedAt }: OutgoingUser) {
  const shownData = encodeData(data, documentShapes.enveloped.encodeLink)
  return { id, email, data: shownData, roles, oauth_id: oauthId, email_verified: emailVerified, createdAt, updatedAt }
}
