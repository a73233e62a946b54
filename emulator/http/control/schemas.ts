import { z } from 'zod'
import { planSettings } from '../../core/documents/door.js'
import { parseStrictly } from '../request/body-forms.js'
import { collectionSettings } from '../request/collection-settings.js'
import type { ControlHandlers } from './control-routes.js'

const { schema, unique, title } = collectionSettings
const settings = z.object({ schema, unique, title })

export const schemas: ControlHandlers['schemas'] = {
  plan: (backend, { params, request }) => planSettings(backend, params, parseStrictly(settings, request)),
}
