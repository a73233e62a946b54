/** Random access to a list of documents of any length. Caches only the pages in view. */
import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { type Client, type Document, SvcError } from '../../../client/index.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { Page, Sort } from '../../../client/protocol/model/page.js'
import type { Where } from '../../../client/protocol/model/where.js'
import { type DataColumn, findColumns, findLinkFields } from '../../parts/columns.js'
import { useSession } from '../../session/context.js'
import type { QueryState } from './query-state.js'

export interface Documents {
  /** Undefined until counted. */
  readonly total: number | undefined
  readonly columns: readonly DataColumn[]
  readonly at: (index: number) => Document | undefined
  /** Lists what is loaded around the rows in view, in order. */
  readonly listLoaded: () => readonly Document[]
  /** The first page. Undefined until loaded. */
  readonly data: Page<Document> | undefined
  readonly error: unknown
  readonly refetch: () => unknown
  readonly setRange: (from: number, to: number) => void
}

const pageSize = 100
/** Evicts pages out of view soon, because a million documents are thousands of pages. */
const keptMilliseconds = 3_000

export function useDocuments(name: string, { where, sort, populate: asked, text }: QueryState): Documents {
  const { client, acting } = useSession()
  const queries = useQueryClient()
  const [[from, to], setRange] = useRange()
  const base = ['documents', name, text, acting?.user.id ?? '']
  const read = (index: number, links: readonly string[], signal: AbortSignal) => {
    const query = { where, sort, asked, signal }
    // Count the total only with the first page.
    return readRange(client, name, query, { offset: index * pageSize, limit: pageSize, links, count: index === 0 })
  }

  const head = useQuery({
    queryKey: [...base, '', 0],
    queryFn: ({ signal }) => read(0, [], signal),
    gcTime: keptMilliseconds,
    placeholderData: (before, query) => (query?.queryKey[1] === name ? keepPreviousData(before) : undefined),
  })
  const columns = useMemo(() => findColumns(head.data?.items ?? []), [head.data])
  const links = useMemo(() => findLinkFields(head.data?.items ?? []).flat(), [head.data])
  const wanted = Array.from({ length: to - from + 1 }, (_, at) => from + at)
  const pages = useQueries({
    queries: wanted.map((index) => ({
      queryKey: [...base, links.join(' '), index],
      queryFn: ({ signal }) => read(index, links, signal),
      gcTime: keptMilliseconds,
      enabled: head.data !== undefined,
    })),
  })

  return {
    total: head.data?.total ?? undefined,
    columns,
    at(index) {
      const page = Math.floor(index / pageSize)
      const found = pages[page - from]?.data
      return (found ?? (page === 0 ? head.data : undefined))?.items[index % pageSize]
    },
    listLoaded: () => pages.flatMap(({ data }, at) => (data ?? (from + at === 0 ? head.data : undefined))?.items ?? []),
    data: head.data,
    error: head.error ?? pages.find(({ error }) => error)?.error,
    refetch: () => queries.invalidateQueries({ queryKey: ['documents', name] }),
    setRange,
  }
}

/** Debounces scrolling, so that pages that are only passed are not fetched. */
const settleMilliseconds = 60

function useRange(): [readonly [number, number], (from: number, to: number) => void] {
  const [pages, setPages] = useState<readonly [number, number]>([0, 0])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const setRange = useCallback((first: number, last: number) => {
    const next = [Math.floor(first / pageSize), Math.floor(last / pageSize)] as const
    clearTimeout(timer.current)
    timer.current = setTimeout(
      () => setPages((before) => (before[0] === next[0] && before[1] === next[1] ? before : next)),
      settleMilliseconds,
    )
  }, [])
  useEffect(() => () => clearTimeout(timer.current), [])
  return [pages, setRange]
}

interface Range {
  readonly offset: number
  readonly limit: number
  /** Link columns to populate, so that they show names. */
  readonly links: readonly string[]
  readonly count: boolean
}

interface Query {
  readonly where: Where
  readonly sort: readonly Sort[]
  /** Links that filters and order pass through. */
  readonly asked: readonly string[]
  readonly signal: AbortSignal
}

/** Reads a part of a list. If the answer is too large, retries without links, then in halves. */
async function readRange(client: Client, name: string, query: Query, range: Range): Promise<Page<Document>> {
  const { asked, ...which } = query
  const { links, ...part } = range
  const populate = [...new Set([...asked, ...links])].slice(0, sizes.maxPopulatePaths)
  try {
    return (await client.collection(name).list({ ...which, ...part, populate })) as Page<Document>
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'RESULT_TOO_LARGE' || range.limit === 1) throw error
    if (links.length > 0) return readRange(client, name, query, { ...range, links: [] })
    const half = Math.ceil(range.limit / 2)
    const first = await readRange(client, name, query, { ...range, limit: half })
    const rest = { ...range, offset: range.offset + half, limit: range.limit - half, count: false }
    const second = await readRange(client, name, query, rest)
    return { ...first, items: [...first.items, ...second.items] }
  }
}
