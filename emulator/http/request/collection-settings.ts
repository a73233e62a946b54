import { z } from 'zod'
import { fieldTypes } from '../../../client/protocol/model/collection.js'
import { anyJson, recordType } from './body-forms.js'

const roles = z.array(z.string().min(1)).optional()
const fieldRule = z.strictObject({
  type: z.enum(fieldTypes),
  required: z.boolean().optional(),
  default: anyJson.optional(),
})

/** Paths of fields, with the roles that may read or write each. */
const fieldRoles = recordType(z.array(z.string().min(1))).optional()

/** Settings of a collection for its documents and permissions. */
export const collectionSettings = {
  schema: recordType(fieldRule).optional(),
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
