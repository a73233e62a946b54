/** Shows pending writes in a list as the service will, until what was read includes them. */
import type { Selector } from '../collections/select.js'
import type { Document, Fields } from '../protocol/model/document.js'
import type { Json } from '../protocol/model/json.js'
import { asText } from './as-text.js'
import type { Mutation } from './mutation.js'

type Doc = Document<object>

/** A page that a list has read from the service. */
export interface Read {
  readonly items: readonly Doc[]
  /** Number of documents on all pages; `null` until it is known. */
  readonly total: number | null
  /** The most documents that the service puts on a page. */
  readonly limit: number | undefined
  /** Saved writes that were read: those up to this turn of the outbox. */
  readonly turn: number
}

export const nothingRead: Read = { items: [], total: null, limit: undefined, turn: -Infinity }

/** The parts of a list's query that decide where writes appear. */
export interface ListShape {
  readonly offset?: number | undefined
  /** First segments of the populated paths. */
  readonly populated: readonly string[]
  /** First segments of the selected paths. Undefined selects all fields. */
  readonly selected: readonly string[] | undefined
  /** Undefined if only the service can tell which documents match, and in which order. */
  readonly selector: Selector | undefined
}

type Find = (id: string) => Doc | undefined

export interface Overlay {
  /** Records what was read, before it is shown. */
  receive(before: Read, read: Read, mutations: readonly Mutation[]): void
  /**
   * Applies the writes of the collection that the list does not include yet. Returns the same objects for the same writes,
   * so that only changed rows render again.
   *
   * @param find returns a document that another list shows
   */
  apply(read: Read, mutations: readonly Mutation[], find: Find): Pick<Read, 'items' | 'total'>
  /** Returns a whole document that was read, without linked ones. */
  find(read: Read, id: string): Doc | undefined
}

export function openOverlay({ offset = 0, populated, selected, selector }: ListShape): Overlay {
  /** Ids that were first read while a create was pending. Each may be the document of that create. */
  const arrivals = new Set<string>()
  /** Keys of updates that have put a document into the list. Another list may show the change before this one is read again. */
  const entered = new Set<string>()
  /** Rows made here, by the body or the document that they show and the row that they replace. */
  const rows = new WeakMap<object, { readonly base: Doc | undefined; readonly row: Doc }>()

  /** Returns the document as a filter or sort sees it: with ids in place of linked documents. */
  function unlinked(row: Doc): Document {
    return populated[0] ? mapLinks(row, (_, link) => idOf(link) ?? link) : (row as Document)
  }

  /** Puts linked documents that this list already shows in place of their ids. */
  function linked(row: Doc, items: readonly Doc[]): Doc {
    if (!populated[0]) return row
    const shown = (name: string) => items.flatMap(({ data }) => (data as Fields)[name] ?? [])
    return mapLinks(row, (name, link) => shown(name).find((other) => idOf(other) === link) ?? link)
  }

  /** Changes the values of populated fields: links, or arrays of links. */
  function mapLinks(row: Doc, change: (name: string, link: Json) => Json): Document {
    const data = row.data as Fields
    const changeAll = (name: string, value: Json) =>
      Array.isArray(value) ? value.map((link) => change(name, link)) : change(name, value)
    const entries = Object.entries(data).map(([name, value]) => [
      name,
      populated.includes(name) ? changeAll(name, value) : value,
    ])
    return { ...row, data: Object.fromEntries(entries) }
  }

  function withSelected(data: object): object {
    return Object.fromEntries(Object.entries(data).filter(([name]) => selected?.includes(name) ?? true))
  }

  const matches = (row: Doc) => selector?.matches(unlinked(row)) ?? true
  const compare = (one: Doc, other: Doc) => selector?.compare(unlinked(one), unlinked(other)) ?? 0

  /** Returns the row that shows a write, in place of another row or as a new one. */
  function toRow({ body, document, begunAt, id }: Mutation, base: Doc | undefined, { items, later }: Draft): Doc {
    const key = document ?? body
    const known = rows.get(key)
    if (known && known.base === base) return known.row
    // Later than the rows of earlier writes, because the clock of the device may be behind that of the service.
    const earlier = items.filter((item) => !later.has(item.id))
    const now = (name: 'createdAt' | 'updatedAt') => {
      const latest = earlier.reduce((latest, item) => (item[name] > latest ? item[name] : latest), '')
      return latest < begunAt ? begunAt : new Date(Date.parse(latest) + 1).toISOString()
    }
    const { version: _, ...saved } = document ?? {
      ...(base ?? { id, createdAt: now('createdAt') }),
      ...{ data: body, updatedAt: now('updatedAt') },
    }
    // Writes answer without data if the user may not read it.
    const row = linked({ ...saved, data: withSelected({ ...base?.data, ...saved.data }) }, items)
    rows.set(key, { base, row })
    return row
  }

  /** Finds the document of a create among those that were read. */
  function recognize(draft: Draft, { id, turn, body }: Mutation) {
    const { items, free } = draft
    const read =
      turn === undefined
        ? free.find((item) => isWrittenAs(withSelected(body), unlinked(item)))
        : items.find((item) => item.id === id)
    if (!read) return
    // Two equal documents are two.
    draft.free = free.filter((item) => item !== read)
    draft.ids.set(id, read.id)
    draft.later.add(read.id)
  }

  function create(draft: Draft, mutation: Mutation) {
    const { id } = mutation
    const known = draft.ids.get(id)
    if (known) draft.later.delete(known)
    if (known || !selector) return
    const row = toRow(mutation, undefined, draft)
    draft.outside.set(id, row)
    if (matches(row)) draft.enter(row, true)
  }

  function remove(draft: Draft, { id }: Pick<Mutation, 'id'>) {
    const at = indexIn(draft, id)
    if (at < 0) return
    draft.items.splice(at, 1)
    if (draft.total !== null) draft.total -= 1
  }

  function update(draft: Draft, mutation: Mutation, find: Find) {
    const { items, outside, ids } = draft
    const id = ids.get(mutation.id) ?? mutation.id
    const at = indexIn(draft, id)
    const base = items[at] ?? outside.get(id) ?? (selector && find(id))
    if (!base) return
    const row = toRow(mutation, base, draft)
    if (items[at]) return move(draft, at, base, row)
    outside.set(id, row)
    // If it did match, it is on another page, or the service knows why it is not here.
    if (!matches(row)) return
    if (!matches(base)) entered.add(mutation.key)
    const isNew = entered.has(mutation.key)
    if (draft.isPart || isNew) draft.enter(row, isNew)
  }

  /** Puts a changed row where it belongs now. Leaves it in place if only the service can tell why it is there. */
  function move(draft: Draft, at: number, base: Doc, row: Doc) {
    const isMatch = matches(row)
    if (!matches(base) || (isMatch && compare(row, base) === 0)) {
      draft.items[at] = row
      return
    }
    if (!isMatch) {
      draft.outside.set(row.id, row)
      return remove(draft, row)
    }
    draft.items.splice(at, 1)
    draft.insert(row)
  }

  const changes = { create, update, remove }

  return {
    receive(before, { items }, mutations) {
      const creates = mutations.filter(({ kind }) => kind === 'create')
      const pending = creates.filter(({ turn }) => turn === undefined)
      if (!pending[0]) return arrivals.clear()
      for (const { id, createdAt } of items) {
        const isNew =
          before === nothingRead
            ? pending.some(({ begunAt }) => createdAt >= begunAt)
            : !before.items.some((item) => item.id === id)
        if (isNew) arrivals.add(id)
      }
      for (const { id } of creates) arrivals.delete(id)
    },

    find({ items }, id) {
      const found = selected ? undefined : items.find((item) => item.id === id)
      return found && unlinked(found)
    },

    apply(read, mutations, find) {
      const draft = openDraft(read, offset, compare, arrivals)
      const isShown = ({ id, document, turn = Infinity }: Mutation) =>
        turn <= read.turn ||
        (document && read.items.some((item) => item.id === id && item.updatedAt >= document.updatedAt))
      const pending = new Set(mutations.filter((mutation) => !isShown(mutation)))
      for (const mutation of pending) if (mutation.kind === 'create') recognize(draft, mutation)
      for (const mutation of mutations) {
        if (pending.has(mutation)) changes[mutation.kind](draft, mutation, find)
        else if (mutation.document) draft.outside.set(mutation.id, mutation.document)
      }
      return { items: draft.items, total: draft.total }
    },
  }
}

interface Draft {
  readonly items: Doc[]
  total: number | null
  /** Documents that may be those of pending creates. */
  free: readonly Doc[]
  /** Ids of documents that were read before their creates were answered, by the ids of these. */
  readonly ids: Map<string, string>
  /** Documents that were read, of creates that come after the write that is applied. */
  readonly later: Set<string>
  /** Changed documents that are not on the page. */
  readonly outside: Map<string, Doc>
  /** True if there are other pages. */
  readonly isPart: boolean
  /** Inserts a row in the order of the list. */
  insert(row: Doc): void
  /** Inserts a row that was not on the page, unless it belongs on another one. */
  enter(row: Doc, isNew: boolean): void
}

function openDraft(
  { items: read, total, limit = Infinity }: Read,
  offset: number,
  compare: (one: Doc, other: Doc) => number,
  arrivals: ReadonlySet<string>,
): Draft {
  const items = [...read]
  const hasMore = total === null ? items.length >= limit : total > offset + items.length
  const most = hasMore ? items.length : limit
  /** Halves the range each time, because 1,000 writes may be pending. */
  const placeOf = (row: Doc) => {
    let at = 0
    let to = items.length
    while (at < to) {
      const middle = (at + to) >> 1
      if (compare(row, items[middle] as Doc) < 0) to = middle
      else at = middle + 1
    }
    return at
  }
  const draft: Draft = {
    ...{ items, total, isPart: hasMore || offset > 0 },
    free: read.filter(({ id }) => arrivals.has(id)),
    ids: new Map(),
    later: new Set(),
    outside: new Map(),
    insert(row) {
      items.splice(placeOf(row), 0, row)
      items.splice(most)
    },
    enter(row, isNew) {
      const at = placeOf(row)
      // The total may already count it on another page.
      if ((offset && !at) || (hasMore && at === items.length)) return
      if (isNew && draft.total !== null) draft.total++
      draft.insert(row)
    },
  }
  return draft
}

function indexIn({ items, ids }: Draft, id: string): number {
  return items.findIndex((item) => item.id === (ids.get(id) ?? id))
}

/** Recognizes a new document that a list shows before its create has been answered, so that it is not shown twice. */
function isWrittenAs(body: object, { data }: Document): boolean {
  return Object.entries(body).every(([name, value]) => asText(data[name]) === asText(value))
}

/** Returns the id of a linked document or user. */
function idOf(value: unknown): string | undefined {
  const { id, data } = Object(value)
  return data && typeof id === 'string' ? id : undefined
}
