/** What is not there, or is not there for the caller. */
import type { StoredCollection } from '../../../client/protocol/model/collection.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'

export function noSuchCollection(given: string) {
  const name = given.slice(0, 80)
  const reason: Reason = { kind: 'missing', what: 'collection', name }
  return new SvcError('NOT_FOUND', `No collection "${name}".`, [], { reason })
}

/** @param why what stands in the way, where it is there */
export function noSuchDocument({ name: collection }: Pick<StoredCollection, 'name'>, id: string, why?: Reason) {
  const name = id.slice(0, 80)
  const reason: Reason = why ?? { kind: 'missing', what: 'document', name, collection }
  return new SvcError('NOT_FOUND', `No document "${name}" in "${collection}".`, [], { reason })
}
