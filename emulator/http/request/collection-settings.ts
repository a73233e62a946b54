import { z } from 'zod'
import { fieldTypes } from '../../../client/protocol/model/collection.js'
import { anyJson, recordOf } from './body-forms.js'

const roles = z.array(z.string().min(1)).optional()
const fieldRule = z.strictObject({
  type: z.enum(fieldTypes),
  required: z.boolean().optional(),
  default: anyJson.optional(),
})

/** Fields by their paths, and the roles that each is open to. */
const fieldRoles = recordOf(z.array(z.string().min(1))).optional()

/** What may be set for a collection about its documents, and of who may do what with them. */
export const collectionSettings = {
  schema: recordOf(fieldRule).optional(),
  permissions: z
    .strictObject({
      create: roles,
      read: roles,
      update: roles,
      delete: roles,
      hidden: fieldRoles,
      readonly: fieldRoles,
    })
    .optional(),
}
