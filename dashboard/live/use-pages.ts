/** A list that is fetched page by page as it is scrolled. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { Page } from '../../client/index.js'

/** The most that a list answers at once. */
const pageSize = 100

interface Pages<Item> {
  readonly items: readonly Item[]
  /** Of the first page; null where it is not counted. */
  readonly total: number | null | undefined
  readonly error: unknown
  /** The same items, undefined until the first page has come. */
  readonly data: readonly Item[] | undefined
  readonly refetch: () => unknown
  /** Learns which rows are in view, and reads on before the last one is. */
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
  // What is new at the top moves the others down, so that one may come twice.
  const items = [...new Map(pages.flatMap((page) => page.items).map((item) => [item.id, item])).values()]
  const count = items.length
  const onRange = useCallback(
    (_from: number, to: number) => {
      // Where it fails, the page asks whether to try again.
      if (hasNextPage && !isFetching && !error && to >= count - 20) void fetchNextPage()
    },
    [hasNextPage, isFetching, error, fetchNextPage, count],
  )
  return { items, total: pages[0]?.total, error, data: data && items, refetch, onRange }
}
