import type { OutgoingUser } from '../../../client/protocol/model/document.js'
import { documentShapes } from '../../../client/protocol/wire/document/encode.js'
import { encodeData } from '../../../client/protocol/wire/document/populated.js'
import {
  authenticatorOf,
  changeUser,
  endSession,
  endSessions,
  listSessions,
  openTokenFor,
  removeUser,
} from '../../core/accounts/owner.js'
import type { ControlHandlers } from './control-routes.js'

export const users: ControlHandlers['users'] = {
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
  code: (backend, { params }) => authenticatorOf(backend, params.user),
}

/** In dialect a. */
function shown({ id, email, data, roles, oauthId, emailVerified, createdAt, updatedAt }: OutgoingUser) {
  const shownData = encodeData(data, documentShapes.enveloped.encodeLink)
  return { id, email, data: shownData, roles, oauth_id: oauthId, email_verified: emailVerified, createdAt, updatedAt }
}
