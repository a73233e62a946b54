import type { ControlHandlers } from './control-routes.js'

export const health: ControlHandlers['health'] = {
  get: ({ about: { folder } }) => ({ status: 'ok', folder }),
}
