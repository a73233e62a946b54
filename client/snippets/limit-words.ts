/** Describes limits. */
import { formatBytes, formatCount } from '../protocol/model/figures.js'
import type { LimitName } from '../protocol/model/requests/reason.js'

/** Text that follows the number of a limit. */
export const limitWords: { readonly [Name in LimitName]: string } = {
  'body bytes': 'for a body',
  'body values': 'values in a body',
  'batch items': 'items in a batch',
  'document bytes': 'for a document',
  'document depth': 'levels in a document',
  'document keys': 'keys in an object',
  'document values': 'values in a document',
  'file bytes': 'for a file',
  'files in a form': 'files in a form',
  'storage bytes': 'for all files of the project',
  'answer bytes': 'for a response',
  'populated records': 'populated records in a response',
  'looked up ids': 'ids looked up for a response',
  'populated values': 'fields and items next to links in a response',
  'schema fields': 'fields in a schema',
  'schema bytes': 'for a schema',
  'collection bytes': 'for the schemas and permissions of a project',
  'linked records': 'linked records in a request',
  'dependent records': 'documents that a deletion also deletes or changes',
  'dependent bytes': 'for the documents that a deletion also deletes or changes',
  'dependent lookups': 'steps to find the documents that a deletion also deletes or changes',
}

export function formatLimit(limit: LimitName, number: number): string {
  return limit.endsWith(' bytes') ? formatBytes(number) : formatCount(number)
}
