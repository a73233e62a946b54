/** The multipart forms: which parts are text, and how to read them. */
import { operatorNames } from '../../../client/protocol/model/document.js'
import { placed, SvcError } from '../../../client/protocol/model/errors.js'
import { isObject, type Json, type JsonObject } from '../../../client/protocol/model/json.js'
import { sizes, storageLimits } from '../../../client/protocol/model/limits.js'
import { text } from '../../../client/protocol/wire/json-schema.js'
import { requireFolder } from '../../core/files/file-names.js'
import { requireTheFile } from '../../core/files/files.js'
import type { FileForm } from '../route.js'
import { parseBody } from './read-json.js'

const profileText = { type: 'string', description: "The user's data as JSON text." }
const bytes = { type: 'string', format: 'binary' }
/** Files by field name. Allows texts only for TypeScript, where the index type must also match the named parts. */
const anyFiles = { anyOf: [bytes, text] }

/** Spec, "Multipart create or update". The part `data` holds what would be the JSON body. */
export const documentForm: FileForm = {
  texts: ['data'],
  isBodyInData: true,
  fileRules: ({ documentFiles, tier }) => ({
    mostBytes: documentFiles === 'tier' ? storageLimits[tier].file : sizes.maxDocumentFileBytes,
    mayBeAnyType: true,
  }),
  async toBody(texts) {
    const data = texts.get('data')
    if (data === undefined) return {}
    return parseBody(Buffer.from(data), { refuseOther: notAnObject }).catch((error) => {
      throw placed(error, (path) => ['data', ...path])
    })
  },
  schema: {
    type: 'object',
    properties: { data: { type: 'string', description: 'The fields as JSON text.' } },
    additionalProperties: { ...anyFiles, description: 'A file. The field of that name gets its address.' },
  },
}

/**
 * A user with files. `data` holds the profile, and other settings of the account are separate text parts. `data` may also hold
 * the JSON body. At sign-up, email and password stand next to the profile. Contract 6.3.
 */
export const accountForm: FileForm = userForm({
  texts: ['email', 'password', 'currentPassword'],
  known: ['email', 'password', 'currentPassword', ...operatorNames],
  fromProfile: (data) => ({ data }),
})

export const signUpForm: FileForm = userForm({
  texts: ['email', 'password'],
  known: ['email', 'password', 'roles'],
  fromProfile: ({ email, password, roles, ...data }) => ({ ...withoutUndefined({ email, password, roles }), data }),
})

interface UserForm {
  readonly texts: readonly string[]
  /** The members that a JSON body may have next to `data`. */
  readonly known: readonly string[]
  /** Converts a profile to the JSON body that it stands for. */
  fromProfile(profile: JsonObject): JsonObject
}

function userForm({ texts: names, known, fromProfile }: UserForm): FileForm {
  return {
    texts: ['data', ...names],
    fileRules: documentForm.fileRules,
    async toBody(texts) {
      const sent = await documentForm.toBody(texts)
      const isWhole = isObject(sent.data) && Object.keys(sent).every((name) => name === 'data' || known.includes(name))
      const named = names.map((name) => [name, texts.get(name)] as const)
      return { ...(isWhole ? sent : fromProfile(sent)), ...withoutUndefined(Object.fromEntries(named)) }
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

/** Spec, "Storage": one file, and the folder for it. */
export const uploadForm: FileForm = {
  texts: ['path'],
  fileRules: ({ fileTypes, tier }) => ({
    mostBytes: storageLimits[tier].file,
    mayBeAnyType: fileTypes === 'any',
  }),
  toBody(texts): JsonObject {
    const path = texts.get('path')
    return path === undefined ? {} : { path: requireFolder(path) }
  },
  requireFile: requireTheFile,
  isOnly: true,
  schema: { type: 'object', properties: { file: bytes, path: text }, required: ['file'], additionalProperties: false },
}

/** One file. The query names its folder. */
export const directForm: FileForm = {
  ...uploadForm,
  texts: [],
  toBody: (): JsonObject => ({}),
  schema: { type: 'object', properties: { file: bytes }, required: ['file'], additionalProperties: false },
}

/** A form that the owner sends to the control API: plain texts, and files of any size and number. */
export const ownersForm: FileForm = {
  texts: ['mode'],
  fileRules: () => ({ mostBytes: Number.MAX_SAFE_INTEGER, mayBeAnyType: true }),
  maxFiles: 100_000,
  isHashed: true,
  toBody: (texts): JsonObject => Object.fromEntries(texts),
  isOnly: true,
  schema: { type: 'object', properties: { mode: text }, additionalProperties: anyFiles },
}

function notAnObject() {
  return new SvcError('INVALID_BODY', 'The part "data" is not a JSON object.')
}
