import { route } from '../route.js'

/** Contract 11: open, so that whoever starts the emulator can wait for it. */
export const healthRoutes = [
  route({
    id: 'control.health',
    summary: 'Whether the emulator answers.',
    method: 'get',
    paths: { any: ['/_svc/api/health'] },
    needs: 'nothing',
    reply: 'plain',
    handle: () => ({ status: 'ok' }),
  }),
]
