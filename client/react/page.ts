/** Reads one page of a list at a time. */
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { ListOptions } from '../collections/collection.js'
import type { UntypedSchema } from '../index.js'
import type { Document, Fields } from '../protocol/model/document.js'
import type { SvcError } from '../protocol/model/errors.js'
import { asText } from '../store/index.js'
import { useClient, useStore } from './provider.js'

type Doc = Document<object>
type Query = Omit<ListOptions<Fields, string, UntypedSchema>, 'offset' | 'count' | 'signal'>

export interface PageState<Item> {
  /** Keeps the previous page until the next one is loaded, unless the collection or the user changed. */
  readonly items: readonly Item[]
  readonly total: number | null
  /** Index from 0. */
  readonly page: number
  readonly pageCount: number | null
  readonly isLoading: boolean
  readonly error: SvcError | undefined
  goTo(page: number): void
  next(): void
  previous(): void
  reload(): void
}

/** A page that was read, with its query. */
interface Read {
  readonly items: readonly Doc[]
  readonly total: number | null
  readonly error: SvcError | undefined
  readonly asked: string
}

const nothing: Read = { items: [], total: null, error: undefined, asked: '' }

export function usePage(collection: string, query: Query = {}): PageState<Doc> {
  const client = useClient()
  const session = useStore().session()
  const { user } = useSyncExternalStore(session.subscribe, session.get, session.get)
  const { limit = 20 } = query
  const owner = `${user?.id} ${collection}`
  const question = asText([owner, query])
  const [page, goTo] = useState(0)
  const [reloads, setReloads] = useState(0)
  const [size, setSize] = useState(limit)
  const [kept, setRead] = useState(nothing)
  const [last, setLast] = useState([question, owner])
  const { asked: answered, ...read } = last[1] === owner ? kept : nothing
  const offset = page * size
  const asked = `${question} ${offset} ${reloads}`

  // Starts a new query at the first page. Clears the items if the collection or the user changed.
  if (last[0] !== question) {
    setLast([question, owner])
    goTo(0)
    setSize(limit)
    if (last[1] !== owner) setRead(nothing)
  }

  useEffect(() => {
    const over = new AbortController()
    const { signal } = over
    client
      .collection(collection)
      .list({ ...query, limit, offset, signal })
      .then(
        ({ items, total, limit: used }) => {
          if (signal.aborted) return
          // Some services do not report their limit. A page that is neither full nor the last has its size.
          const isCut = items.length && offset + items.length < Number(total)
          setSize(used ?? (isCut ? items.length : size))
          setRead({ items, total, error: undefined, asked })
        },
        (error) => signal.aborted || setRead((before) => ({ ...before, error, asked })),
      )
    return () => over.abort()
  }, [client, collection, asked])

  return {
    ...read,
    page,
    goTo,
    pageCount: read.total === null ? null : Math.ceil(read.total / size) || 1,
    isLoading: answered !== asked,
    next: () => goTo((at) => at + 1),
    previous: () => goTo((at) => at && at - 1),
    reload: () => setReloads((count) => count + 1),
  }
}
