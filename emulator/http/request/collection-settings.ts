import { z } from 'zod'
import {
  type FieldRule,
  fieldFormats,
  fieldTypes,
  onDeleteActions,
  type ValueRule,
} from '../../../client/protocol/model/collection.js'
import { anyJson, nestedType, recordType } from './body-forms.js'

const roles = z.array(z.string().min(1)).optional()
const fieldType = z.enum(fieldTypes)
const lengthBound = z.number().int().min(0).optional()

/** Options of a field and of the items of an array. Contract 13.1. */
const valueOptions = {
  description: z.string().max(1_000).optional(),
  enum: z.array(anyJson).min(1).max(1_000).optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  minLength: lengthBound,
  maxLength: lengthBound,
  pattern: z.string().max(200).optional(),
  format: z.enum(fieldFormats).optional(),
  fields: nestedType(() => nestedFields).optional(),
  items: nestedType(() => itemRule).optional(),
  to: z.string().min(1).optional(),
  many: z.boolean().optional(),
  onDelete: z.enum(onDeleteActions).optional(),
}
const itemRule: z.ZodType<ValueRule> = z.strictObject({ type: fieldType, ...valueOptions })
const fieldRule: z.ZodType<FieldRule> = z.strictObject({
  type: fieldType,
  required: z.boolean().optional(),
  default: anyJson.optional(),
  unique: z.boolean().optional(),
  ...valueOptions,
})
const nestedFields = recordType(fieldRule, {})

/** Paths of fields, with the roles that may read or write each. */
const fieldRoles = recordType(z.array(z.string().min(1))).optional()

const fieldName = z.string().min(1).max(1_000)

/** Settings of a collection for its documents and permissions. */
export const collectionSettings = {
  schema: recordType(fieldRule).optional(),
  unique: z.array(z.array(fieldName).min(2).max(8)).max(20).optional(),
  /** null takes it away. */
  title: fieldName.nullable().optional(),
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
