/** Multipart forms: which parts are text, and what they mean. */
import { SvcError } from '../../client/model/errors.js'
import { isObject, type Json, type JsonObject } from '../../client/model/json.js'
import { sizes, storageLimits } from '../../client/model/limits.js'
import { text } from '../../client/wire/schemas.js'
import { parseJsonObject } from './read-json.js'
import type { FileForm } from './route.js'

const profileText = { type: 'string', description: "The user's data as JSON text." }
const bytes = { type: 'string', format: 'binary' }

/** Spec, "Multipart create or update". The part `data` is what would have been the JSON body. */
export const documentForm: FileForm = {
  texts: ['data'],
  mostFileBytes: () => sizes.mostDocumentFileBytes,
  toBody(texts) {
    const data = texts.get('data')
    return data === undefined ? {} : parseJsonObject(data, notAnObject)
  },
  schema: {
    type: 'object',
    properties: { data: { type: 'string', description: 'The fields as JSON text.' } },
    additionalProperties: { ...bytes, description: 'A file; its address lands in the field of that name.' },
  },
}

/**
 * Files with a user: `data` holds the profile, what else an account has are texts of their own. At sign-up they may stand
 * in `data` too, beside the profile or around it. Contract 6.3.
 */
export const accountForm: FileForm = userForm(['email', 'password', 'currentPassword'], (data) => ({ data }))

export const signUpForm: FileForm = userForm(['email', 'password'], ({ email, password, roles, ...profile }) => ({
  ...withoutUndefined({ email, password, roles }),
  data: profile,
}))

function userForm(names: readonly string[], bodyOf: (data: JsonObject) => JsonObject): FileForm {
  return {
    texts: ['data', ...names],
    mostFileBytes: documentForm.mostFileBytes,
    toBody(texts) {
      const { data, ...rest } = bodyOf(documentForm.toBody(texts))
      const profile = isObject(data) && isObject(data.data) && Object.keys(data).length === 1 ? data.data : data
      const named = names.map((name) => [name, texts.get(name)] as const)
      return { ...rest, ...withoutUndefined(Object.fromEntries(named)), data: profile ?? {} }
    },
    schema: {
      type: 'object',
      properties: { data: profileText, ...Object.fromEntries(names.map((name) => [name, text])) },
      additionalProperties: documentForm.schema.additionalProperties,
    },
  }
}

function withoutUndefined(members: Record<string, Json | undefined>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** Spec, "Storage": one file, and the folder it goes to. */
export const uploadForm: FileForm = {
  texts: ['path'],
  mostFileBytes: ({ settings }) => storageLimits[settings.tier].file,
  toBody: (texts) => Object.fromEntries(texts),
  isOnly: true,
  schema: { type: 'object', properties: { file: bytes, path: text }, required: ['file'] },
}

function notAnObject() {
  return new SvcError('INVALID_BODY', 'The part "data" is not a JSON object.')
}
