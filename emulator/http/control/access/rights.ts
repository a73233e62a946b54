import { z } from 'zod'
import { askRights } from '../../../core/requests/ask-rights.js'
import { parseStrictly } from '../../request/body-forms.js'
import { collectionSettings } from '../../request/collection-settings.js'
import type { ControlHandlers } from '../control-routes.js'

const given = z.object({ permissions: collectionSettings.permissions })

export const rights: ControlHandlers['rights'] = {
  ask: (backend, { params, request }) => askRights(backend, params, { ...request, ...parseStrictly(given, request) }),
}
