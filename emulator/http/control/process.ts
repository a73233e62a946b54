import type { ControlHandlers } from './control-routes.js'

export const process: ControlHandlers['process'] = {
  get: ({ about: { pid, dataDir } }) => ({ pid, dataDir: dataDir ?? null }),
}
