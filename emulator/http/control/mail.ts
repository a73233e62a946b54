import { listLimits } from '../../../client/protocol/model/limits.js'
import { clearMails, listMails, readMail, removeMail, waitForMail } from '../../core/accounts/mailbox.js'
import type { ControlHandlers } from './control-routes.js'

const limits = listLimits.mails
const longestWaitSeconds = 60

export const mail: ControlHandlers['mail'] = {
  async list(backend, { request: { limit, ...which } }) {
    const mails = await listMails(backend, { ...which, limit: Math.min(limit || limits.usual, limits.most) })
    return { mails: mails.map(({ html, text, ...head }) => head) }
  },
  wait(backend, { request: { timeout = 30, ...which } }) {
    return waitForMail(backend, which, Math.min(timeout, longestWaitSeconds) * 1_000)
  },
  get: (backend, { params }) => readMail(backend, params.id),
  async remove(backend, { params }) {
    await removeMail(backend, params.id)
    return { id: params.id }
  },
  clear: async (backend, { request }) => ({ count: await clearMails(backend, request) }),
}
