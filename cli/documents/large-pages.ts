/** Reads whole selections in the largest pages that a service has, since each page costs a request. */
import { internals } from '../../client/collections/internals.js'
import { allPages, readPages } from '../../client/collections/list-pages.js'
import { pageSizes } from '../../client/protocol/model/limits.js'
import type { Where } from '../../client/protocol/model/where.js'
import { formatDialect, parseDialect } from '../../client/protocol/wire/dialects.js'
import type { Client } from '../base/target-command.js'

type Collection = ReturnType<Client['collection']>

/** The dialect with its larger pages. A service that knows no dialects ignores the choice and says which limit it used. */
export function withLargePages(dialect = 'a'): string {
  return dialect === 'auto' ? dialect : formatDialect({ ...parseDialect(dialect), paging: 'large' })
}

/** The pages of a selection, ordered by id. @param after the last document of an earlier read, and how many it read */
export function largePages(
  collection: Collection,
  where: Where,
  after?: { readonly id: string; readonly read: number },
) {
  const pages = readPages((query) => collection.list(query), { where }, after, pageSizes.large.most)
  // A resumed read knows only the rest.
  return after ? pages : allPages(collection[internals].session, () => collection.count({ where }), pages)
}
