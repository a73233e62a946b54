import type { ControlHandlers } from './control-routes.js'

export const health: ControlHandlers['health'] = {
  get: () => ({ status: 'ok' }),
}
