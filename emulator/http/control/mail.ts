import type { JsonObject } from '../../../client/protocol/model/json.js'
import { clearMails, listMails, readMail, removeMail, waitForMail } from '../../core/accounts/mailbox.js'
import { namedQuery } from '../request/read-list.js'
import { route } from '../route.js'

const which = {
  project: 'Id of a project; left out, all.',
  to: 'Address of who the mail is for.',
  after: 'Id of a mail; only later ones.',
}
const mostMails = 200
const longestWaitSeconds = 60

/** Contract 11: the mailbox. */
export const mailRoutes = [
  route({
    id: 'control.mail.list',
    summary: 'The newest mails.',
    method: 'get',
    paths: { any: ['/_svc/api/mail'] },
    needs: 'control',
    query: namedQuery({ ...which, limit: 'Most mails to answer.' }),
    reply: 'plain',
    async handle(backend, { query: { project, to, after, limit } }) {
      const mails = await listMails(backend, { project, to, after, limit: Math.min(Number(limit) || 50, mostMails) })
      return { mails: mails.map(({ html, text, ...head }) => head) }
    },
  }),
  route({
    id: 'control.mail.wait',
    summary: 'The newest mail of a kind, as soon as there is one.',
    method: 'get',
    paths: { any: ['/_svc/api/mail/wait'] },
    needs: 'control',
    query: namedQuery({ ...which, timeout: 'Seconds to wait at most; 30 if left out.' }),
    reply: 'plain',
    async handle(backend, { query: { project, to, after, timeout } }) {
      const seconds = Math.min(Number(timeout ?? 30) || 0, longestWaitSeconds)
      return (await waitForMail(backend, { project, to, after }, seconds * 1_000)) as unknown as JsonObject
    },
  }),
  route({
    id: 'control.mail.get',
    summary: 'A mail with its links and codes.',
    method: 'get',
    paths: { any: ['/_svc/api/mail/:id'] },
    needs: 'control',
    reply: 'plain',
    handle: async (backend, { params }) => (await readMail(backend, params.id)) as unknown as JsonObject,
  }),
  route({
    id: 'control.mail.remove',
    summary: 'Delete a mail.',
    method: 'delete',
    paths: { any: ['/_svc/api/mail/:id'] },
    needs: 'control',
    reply: 'plain',
    async handle(backend, { params }) {
      await removeMail(backend, params.id)
      return { id: params.id }
    },
  }),
  route({
    id: 'control.mail.clear',
    summary: 'Delete mails: all, or those of a project or to an address.',
    method: 'delete',
    paths: { any: ['/_svc/api/mail'] },
    needs: 'control',
    query: namedQuery({ project: which.project, to: which.to }),
    reply: 'plain',
    handle: async (backend, { query }) => ({ count: await clearMails(backend, query) }),
  }),
]
