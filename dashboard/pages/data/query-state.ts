/** Stores filters and order in the address of the page, as the query string of the API in dialect a. */
import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { SvcError } from '../../../client/index.js'
import type { Sort } from '../../../client/protocol/model/page.js'
import { formatPath, parsePath } from '../../../client/protocol/model/path.js'
import type { Clause, Where } from '../../../client/protocol/model/where.js'
import { dialects } from '../../../client/protocol/wire/dialects.js'
import { decodeListQuery, parseQuery } from '../../../client/protocol/wire/query/decode.js'
import { encodeListQuery } from '../../../client/protocol/wire/query/encode.js'
import { formatQuery } from '../../../client/protocol/wire/query/format.js'

export interface ListQuery {
  readonly where: Where
  readonly sort: readonly Sort[]
  /** Links that filters and order pass through. */
  readonly populate: readonly string[]
}

export interface QueryState extends ListQuery {
  /** Query string of the API, without `?`. */
  readonly text: string
  /** Set if the address is invalid. Then no filter applies. */
  readonly error: SvcError | undefined
  readonly change: (query: Partial<ListQuery>) => void
  /** @throws {SvcError} the error that the API would return */
  readonly changeText: (text: string) => void
}

/** Formats a query for the address, without `?`. */
export function formatListQuery({ where, sort, populate }: ListQuery): string {
  return formatQuery(encodeListQuery(dialects.a, { where, sort, populate: populate.map(parsePath) }))
}

/** @throws {SvcError} */
function parseListQuery(text: string): ListQuery {
  const { where, sort, populate } = decodeListQuery(dialects.a, parseQuery(text))
  return { where, sort, populate: populate.map(formatPath) }
}

const nothing: ListQuery = { where: { all: [] }, sort: [], populate: [] }

export function useQueryState(): QueryState {
  const search = useSearch()
  const [path, go] = useLocation()
  const [query, error] = useMemo((): [ListQuery, SvcError | undefined] => {
    try {
      return [parseListQuery(search), undefined]
    } catch (failure) {
      return [nothing, failure instanceof SvcError ? failure : undefined]
    }
  }, [search])
  const show = useCallback((text: string) => go(text === '' ? path : `${path}?${text}`), [go, path])
  const change = useCallback((next: Partial<ListQuery>) => show(formatListQuery({ ...query, ...next })), [show, query])
  const changeText = useCallback((text: string) => show(formatListQuery(parseListQuery(text))), [show])
  return useMemo(
    () => ({ ...query, text: formatListQuery(query), error, change, changeText }),
    [query, error, change, changeText],
  )
}

/** Removes one clause. */
export function without(where: Where, clause: Clause): Where {
  return { all: where.all.filter((each) => each !== clause) }
}
