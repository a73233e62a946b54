/** Multipart forms: which parts are text, and what they mean. */
import { SvcError } from '../../client/model/errors.js'
import { sizes, storageLimits } from '../../client/model/limits.js'
import { text } from '../../client/wire/schemas.js'
import { parseJsonObject } from './read-json.js'
import type { FileForm } from './route.js'

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
