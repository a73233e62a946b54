/** The `acks` axis: the responses to deletes and batch updates. */
import type { OutgoingDocument } from '../../model/document.js'
import type { Writable } from '../../model/json.js'
import type { JsonSchema } from '../codec.js'
import { arrayOf, count, object, text } from '../json-schema.js'

interface AckForm {
  removed(what: string, id: string): Writable
  allRemoved(ids: readonly string[]): Writable
  /** @param encode returns the records, for forms that have them */
  updated(documents: readonly OutgoingDocument[], encode: () => Writable): Writable
  /** Whether the response to a deleted collection is empty. */
  readonly isCollectionSilent: boolean
  readonly removedSchema: JsonSchema
  readonly allRemovedSchema: JsonSchema
  updatedSchema(document: JsonSchema): JsonSchema
}

const wasDeleted = (what: string) => `The ${what} was deleted.`
const counted = (ids: readonly unknown[], done: string) =>
  `${ids.length} ${ids.length === 1 ? 'document was' : 'documents were'} ${done}.`
const status = 'success'
const statusSchema = { const: status }
const countedSchema = object({ status: statusSchema, message: text, count })

export const ackForms = {
  record: {
    removed: (what, id) => ({ message: wasDeleted(what), id }),
    allRemoved: (ids) => ({ message: counted(ids, 'deleted'), ids, count: ids.length }),
    updated: (_documents, encode) => encode(),
    isCollectionSilent: false,
    removedSchema: object({ message: text, id: text }),
    allRemovedSchema: object({ message: text, ids: arrayOf(text), count }),
    updatedSchema: arrayOf,
  },
  status: {
    removed: (what) => ({ status, message: wasDeleted(what) }),
    allRemoved: (ids) => ({ status, message: counted(ids, 'deleted'), count: ids.length }),
    updated: (documents) => ({ status, message: counted(documents, 'updated'), count: documents.length }),
    isCollectionSilent: true,
    removedSchema: object({ status: statusSchema, message: text }),
    allRemovedSchema: countedSchema,
    updatedSchema: () => countedSchema,
  },
} as const satisfies { readonly [form: string]: AckForm }
