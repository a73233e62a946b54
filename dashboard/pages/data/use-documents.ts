/** The documents of a collection by their place in a list of any length; only the pages in view are kept. */
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Document } from '../../../client/index.js'
import type { Page } from '../../../client/protocol/model/page.js'
import { useSession } from '../../session/context.js'
import { type ColumnOfData, columnsOf } from './columns.js'
import type { QueryState } from './query-state.js'

export interface Documents {
  readonly total: number
  readonly columns: readonly ColumnOfData[]
  readonly at: (index: number) => Document | undefined
  readonly isLoading: boolean
  readonly error: unknown
  readonly retry: () => void
  readonly setRange: (from: number, to: number) => void
}

const pageSize = 100
/** Pages out of view are forgotten soon: a million documents are some thousand pages. */
const keptMilliseconds = 3_000

export function useDocuments(name: string, { where, sort, text }: QueryState): Documents {
  const { client, acting } = useSession()
  const [[from, to], setPages] = useState<readonly [number, number]>([0, 0])
  const base = ['documents', name, text, acting?.user.id ?? '']
  const read = (index: number, populate: readonly string[]) =>
    client.collection(name).list({
      where,
      ...(sort ? { sort } : {}),
      ...{ limit: pageSize, offset: index * pageSize, populate },
    }) as Promise<Page<Document>>

  const head = useQuery({
    queryKey: [...base, '', 0],
    queryFn: () => read(0, []),
    gcTime: keptMilliseconds,
    placeholderData: (before, query) => (query?.queryKey[1] === name ? keepPreviousData(before) : undefined),
  })
  const columns = useMemo(() => columnsOf(head.data?.items ?? []), [head.data])
  const links = columns.filter(({ type }) => type === 'link').map(({ name: field }) => field)
  const wanted = Array.from({ length: to - from + 1 }, (_, at) => from + at)
  const pages = useQueries({
    queries: wanted.map((index) => ({
      queryKey: [...base, links.join(' '), index],
      queryFn: () => read(index, links),
      gcTime: keptMilliseconds,
      enabled: head.data !== undefined,
    })),
  })

  return {
    total: head.data?.total ?? 0,
    columns,
    at(index) {
      const page = Math.floor(index / pageSize)
      const found = pages[page - from]?.data
      return (found ?? (page === 0 ? head.data : undefined))?.items[index % pageSize]
    },
    isLoading: head.isPending,
    error: head.error ?? pages.find(({ error }) => error)?.error,
    retry: () => void head.refetch(),
    setRange(first, last) {
      const next = [Math.floor(first / pageSize), Math.floor(last / pageSize)] as const
      setPages((before) => (before[0] === next[0] && before[1] === next[1] ? before : next))
    },
  }
}
