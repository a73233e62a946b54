/** Reads one page of a list at a time, for any framework. */
import type { ListOptions } from '../collections/collection.js'
import type { Client, UntypedSchema } from '../index.js'
import type { Document, Fields } from '../protocol/model/document.js'
import type { SvcError } from '../protocol/model/errors.js'
import { asText } from './as-text.js'
import type { ListSelection, Readable, Store } from './index.js'
import { openListeners } from './listeners.js'

export type PageQuery<Data, Path extends string, Schema, Name extends string = string> = Omit<
  ListSelection<Data, Path, Schema, Name>,
  'offset'
>

export interface PageState<Item> {
  /** Keeps the previous page until the next one is loaded, unless the collection or the user changed. */
  readonly items: readonly Item[]
  readonly total: number | null
  /** Index from 0. */
  readonly page: number
  readonly pageCount: number | null
  readonly isLoading: boolean
  readonly error: SvcError | undefined
}

export interface PageCalls {
  goTo(page: number): void
  next(): void
  previous(): void
  reload(): void
}

export const noPage: PageState<never> = {
  ...{ items: [], total: null, page: 0 },
  ...{ pageCount: null, isLoading: true, error: undefined },
}

type Doc = Document<object>
type Query = Omit<ListOptions<Fields, string, UntypedSchema>, 'offset' | 'count' | 'signal'>

/** One list at a time: the one that was subscribed to last. */
export interface Pages extends PageCalls {
  of(collection: string, query?: Query): Readable<PageState<Doc>>
}

interface Asked {
  readonly collection: string
  readonly query: Query
}

/** A page, and what was read last. */
interface Reading extends Pick<PageState<Doc>, 'items' | 'total' | 'error' | 'page'> {
  /** The user and the collection. */
  readonly owner: string
  readonly question: string
  readonly size: number
  readonly reloads: number
  /** The request that the items answer. */
  readonly answered: string
}

const defaultLimit = 20

const nothing = { items: [], total: null, error: undefined, answered: '' }

export function openPages(client: Client, store: Store): Pages {
  const session = store.session()
  const listeners = openListeners()
  let last: Reading = { ...nothing, owner: '', question: '', page: 0, size: 0, reloads: 0 }
  let followed: Asked | undefined
  let leaveSession: (() => void) | undefined
  let over: AbortController | undefined

  /** Starts a new query at the first page. Drops the items if the collection or the user changed. */
  function readingOf({ collection, query }: Asked): Reading {
    const owner = `${session.get().user?.id} ${collection}`
    const question = asText([owner, query])
    if (last.question === question) return last
    return {
      ...last,
      ...(last.owner !== owner && nothing),
      owner,
      question,
      page: 0,
      size: query.limit ?? defaultLimit,
    }
  }

  const requestOf = ({ question, page, size, reloads }: Reading) => `${question} ${page * size} ${reloads}`

  function put(changes: Partial<Reading>) {
    last = { ...last, ...changes }
    listeners.call()
  }

  async function read({ collection, query }: Asked) {
    over?.abort()
    over = new AbortController()
    const { signal } = over
    put(readingOf({ collection, query }))
    const { page, size } = last
    const offset = page * size
    const answered = requestOf(last)
    try {
      const asked = { limit: defaultLimit, ...query, offset, signal }
      const { items, total, limit: used } = await client.collection(collection).list(asked)
      if (signal.aborted) return
      // Some services do not report their limit. A page that is neither full nor the last has its size.
      const isCut = items.length && offset + items.length < Number(total)
      put({ items, total, error: undefined, answered, size: used ?? (isCut ? items.length : size) })
      // The page is elsewhere if pages are smaller than asked for.
      if (requestOf(last) !== answered) turn({})
    } catch (error) {
      if (!signal.aborted) put({ error: error as SvcError, answered })
    }
  }

  function turn(changes: Partial<Reading>) {
    put(changes)
    if (followed) void read(followed)
  }

  return {
    goTo: (page) => turn({ page }),
    next: () => turn({ page: last.page + 1 }),
    previous: () => turn({ page: last.page && last.page - 1 }),
    reload: () => turn({ reloads: last.reloads + 1 }),
    of(collection, query = {}) {
      const asked = { collection, query }
      let known: readonly unknown[] = []
      let shown: PageState<Doc> = noPage
      return {
        get() {
          const now = [last, session.get().user]
          if (now.every((part, at) => part === known[at])) return shown
          known = now
          const reading = readingOf(asked)
          const { items, total, error, page, size, answered } = reading
          const pageCount = total === null ? null : Math.ceil(total / size) || 1
          shown = { items, total, error, page, pageCount, isLoading: answered !== requestOf(reading) }
          return shown
        },
        subscribe(listener) {
          const leave = listeners.add(listener)
          leaveSession ??= session.subscribe(() => {
            if (followed && readingOf(followed) !== last) void read(followed)
          })
          if (followed !== asked) {
            followed = asked
            void read(asked)
          }
          return () => {
            leave()
            if (listeners.count()) return
            leaveSession?.()
            over?.abort()
            followed = leaveSession = undefined
          }
        },
      }
    },
  }
}
