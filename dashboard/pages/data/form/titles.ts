/** Names documents and users where they are linked. Contract 13.1. */
import type { AppUser, Collection, Document } from '../../../../client/index.js'
import { namingFields } from '../../../../client/protocol/model/documents/naming-fields.js'
import { objectIn, readField } from '../../../../client/protocol/model/json.js'
import { formatName } from '../../../parts/columns.js'

/** Returns the field that names the documents of a collection: the chosen one, else the first required text. */
export function findTitleField({ title, schema }: Pick<Collection, 'title' | 'schema'>): string | undefined {
  return title ?? Object.entries(schema).find(([, { required, type }]) => required && type === 'string')?.[0]
}

/** Returns the fields that a search for documents by their name looks into. */
export function findSearchFields(collection: Pick<Collection, 'title' | 'schema'>): readonly string[] {
  const field = findTitleField(collection)
  if (field !== undefined) return [field]
  const known = namingFields.filter((name) => Object.hasOwn(collection.schema, name))
  return known.length > 0 ? known : namingFields
}

export function formatTitle(
  document: Pick<Document, 'id' | 'data'>,
  collection: Pick<Collection, 'title' | 'schema'> | undefined,
): string {
  const field = collection && findTitleField(collection)
  const value = field === undefined ? undefined : readField(document.data, field)
  return typeof value === 'string' && value !== '' ? value.slice(0, 120) : formatName(document)
}

export function formatUser({ email, data }: Pick<AppUser, 'email' | 'data'>): string {
  const name = readField(objectIn(data), 'name')
  return typeof name === 'string' && name !== '' ? name.slice(0, 120) : email
}
