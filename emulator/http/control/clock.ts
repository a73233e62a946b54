import { z } from 'zod'
import type { Backend } from '../../core/context.js'
import { strictBody } from '../request/body-forms.js'
import { route } from '../route.js'

const mostMilliseconds = 100 * 365 * 86_400_000

/** Contract 11: time as the service sees it. Tokens, codes, rate windows and the waits between mails follow it. */
export const clockRoutes = [
  route({
    id: 'control.clock.get',
    summary: 'What time it is for the service.',
    method: 'get',
    paths: { any: ['/_svc/api/clock'] },
    needs: 'control',
    reply: 'plain',
    handle: (backend) => shown(backend),
  }),
  route({
    id: 'control.clock.change',
    summary: 'Set the clock to a moment, or advance it by milliseconds.',
    method: 'patch',
    paths: { any: ['/_svc/api/clock'] },
    needs: 'control',
    body: strictBody(
      z.union([
        z.strictObject({ now: z.iso.datetime({ offset: true }) }),
        z.strictObject({ advance: z.int().min(-mostMilliseconds).max(mostMilliseconds) }),
      ]),
    ),
    reply: 'plain',
    handle(backend, { body }) {
      if ('now' in body) backend.clock.set(new Date(body.now))
      else backend.clock.advance(body.advance)
      return shown(backend)
    },
  }),
  route({
    id: 'control.clock.reset',
    summary: 'Set the clock back to the time outside.',
    method: 'delete',
    paths: { any: ['/_svc/api/clock'] },
    needs: 'control',
    reply: 'plain',
    handle(backend) {
      backend.clock.reset()
      return shown(backend)
    },
  }),
]

/** Whoever was known may have been logged in for too long by that time. */
function shown({ clock, bus }: Backend) {
  bus.publish([{ kind: 'identity' }])
  return { now: clock.now().toISOString(), offset: clock.offset() }
}
