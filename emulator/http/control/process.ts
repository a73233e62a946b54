import { route } from '../route.js'

/** Contract 11: which process answers, and for which folder, so that a command signals no other one. */
export const processRoutes = [
  route({
    id: 'control.process.get',
    summary: 'Get the process id of the emulator and the folder of its data.',
    method: 'get',
    paths: { any: ['/_svc/api/process'] },
    needs: 'control',
    reply: 'plain',
    handle: ({ about: { pid, dataDir } }) => ({ pid, dataDir: dataDir ?? null }),
  }),
]
