/** Fetches a list page by page while the user scrolls. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { Page } from '../../client/index.js'

/** Maximum page size of the API. */
const pageSize = 100

interface Pages<Item> {
  readonly items: readonly Item[]
  /** Total of the first page, or null if not counted. */
  readonly total: number | null | undefined
  readonly error: unknown
  /** The same items. Undefined until the first page is loaded. */
  readonly data: readonly Item[] | undefined
  readonly refetch: () => unknown
  /** Receives the rows in view, and fetches the next page before the last row is reached. */
  readonly onRange: (from: number, to: number) => void
}

export function usePages<Item extends { readonly id: string }>(
  queryKey: readonly unknown[],
  read: (page: { limit: number; offset: number }) => Promise<Page<Item>>,
): Pages<Item> {
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam: offset }) => read({ limit: pageSize, offset }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.items.length < pageSize ? undefined : pages.length * pageSize),
    placeholderData: keepPreviousData,
  })
  const pages = data?.pages ?? []
  // New items at the top shift the others down, so an item may appear on two pages.
  const items = [...new Map(pages.flatMap((page) => page.items).map((item) => [item.id, item])).values()]
  const count = items.length
  const onRange = useCallback(
    (_from: number, to: number) => {
      // After a failure, the user decides whether to retry.
      if (hasNextPage && !isFetching && !error && to >= count - 20) void fetchNextPage()
    },
    [hasNextPage, isFetching, error, fetchNextPage, count],
  )
  return { items, total: pages[0]?.total, error, data: data && items, refetch, onRange }
}
