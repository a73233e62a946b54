/** Errors for records that don't exist, or that the caller cannot see. */
import type { StoredCollection } from '../../../client/protocol/model/collection.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'

export function noSuchCollection(given: string) {
  const name = given.slice(0, 80)
  const reason: Reason = { kind: 'missing', what: 'collection', name }
  return new SvcError('NOT_FOUND', `No collection "${name}".`, [], { reason })
}

/** @param why the reason for hiding the document, if it exists */
export function noSuchDocument({ name: collection }: Pick<StoredCollection, 'name'>, id: string, why?: Reason) {
  const name = id.slice(0, 80)
  const reason: Reason = why ?? { kind: 'missing', what: 'document', name, collection }
  return new SvcError('NOT_FOUND', `No document "${name}" in "${collection}".`, [], { reason })
}
