import { z } from 'zod'
import type { JsonObject, Writable } from '../../../client/protocol/model/json.js'
import { dialects } from '../../../client/protocol/wire/dialects.js'
import { writeUser } from '../../../client/protocol/wire/records/users.js'
import { changeUser, codeOf, endSessions, removeUser, tokenOf } from '../../core/accounts/owner.js'
import { strictBody } from '../request/body-forms.js'
import { route } from '../route.js'

const changes = z.strictObject({
  roles: z.array(z.string().min(1)).optional(),
  role: z.string().nullable().optional(),
  emailVerified: z.boolean().optional(),
  twoFactor: z.literal(false).optional(),
})

/** Contract 11: what the owner may do with users. */
export const userRoutes = [
  route({
    id: 'control.users.update',
    summary: 'Give a user roles, mark the address as verified, turn two-factor login off.',
    method: 'patch',
    paths: { any: ['/_svc/api/users/:user'] },
    needs: 'control',
    body: strictBody(changes),
    reply: 'plain',
    handle: async (backend, { params, body }): Promise<Writable> =>
      writeUser(dialects.a, await changeUser(backend, params.user, body)),
  }),
  route({
    id: 'control.users.remove',
    summary: 'Delete a user.',
    method: 'delete',
    paths: { any: ['/_svc/api/users/:user'] },
    needs: 'control',
    reply: 'plain',
    async handle(backend, { params }): Promise<JsonObject> {
      await removeUser(backend, params.user)
      return { id: params.user }
    },
  }),
  route({
    id: 'control.users.token',
    summary: 'A token of a new session, as if the user had logged in.',
    method: 'post',
    paths: { any: ['/_svc/api/users/:user/token'] },
    needs: 'control',
    reply: 'plain',
    handle: async (backend, { params }) => ({ token: await tokenOf(backend, params.user) }),
  }),
  route({
    id: 'control.users.logOut',
    summary: 'End all sessions of a user.',
    method: 'delete',
    paths: { any: ['/_svc/api/users/:user/sessions'] },
    needs: 'control',
    reply: 'plain',
    async handle(backend, { params }): Promise<JsonObject> {
      await endSessions(backend, params.user)
      return { id: params.user }
    },
  }),
  route({
    id: 'control.users.code',
    summary: "What the user's authenticator app shows now.",
    method: 'get',
    paths: { any: ['/_svc/api/users/:user/code'] },
    needs: 'control',
    reply: 'plain',
    handle: async (backend, { params }) => ({ code: await codeOf(backend, params.user) }),
  }),
]
