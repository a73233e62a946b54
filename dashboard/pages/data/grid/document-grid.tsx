/** The list of documents: boxes, pinned columns, and cells that are edited in place. */
import { type MouseEvent, useCallback, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import type { Document } from '../../../../client/index.js'
import type { Schema } from '../../../../client/protocol/model/collection.js'
import { objectIn } from '../../../../client/protocol/model/json.js'
import type { Sort } from '../../../../client/protocol/model/page.js'
import { formatPath } from '../../../../client/protocol/model/path.js'
import { useCollections } from '../../../frame/counts.js'
import { useFlashes } from '../../../live/context.js'
import { chooseWidth, type Linked, shortId } from '../../../parts/columns.js'
import { type Column, Grid } from '../../../parts/grid.js'
import { Time } from '../../../parts/time.js'
import { formatTitle, formatUser } from '../form/titles.js'
import type { QueryState } from '../query-state.js'
import type { Documents } from '../use-documents.js'
import { Cell, CellEditor, findCellRule } from './cell.js'
import { createdColumn, type GridColumn, type GridLayout, idColumn } from './layout.js'
import type { Picked } from './use-picked.js'

interface DocumentGridProps {
  readonly name: string
  /** The open document. */
  readonly id: string | undefined
  readonly query: QueryState
  readonly documents: Documents
  readonly schema: Schema
  readonly layout: GridLayout
  readonly picked: Picked
}

/** The cell that is edited. */
interface Editing {
  readonly id: string
  readonly column: string
}

export function DocumentGrid(props: DocumentGridProps) {
  const { name, id, query, documents, schema, layout, picked } = props
  const { listLoaded } = documents
  const [, go] = useLocation()
  const fresh = useFlashes(name)
  const [editing, setEditing] = useState<Editing>()
  const search = query.text === '' ? '' : `?${query.text}`
  const shown = useMemo(() => layout.columns.filter(({ isShown }) => isShown), [layout.columns])
  const openLink = useCallback(
    ({ collection, id: target, email }: Linked) => {
      if (email !== undefined) go(`/users/${target}`)
      else if (collection !== undefined) go(`/data/${encodeURIComponent(collection)}/${target}`)
    },
    [go],
  )
  const open = useCallback(
    ({ id: opened }: Document) => go(`/data/${encodeURIComponent(name)}/${opened}${search}`),
    [go, name, search],
  )
  const { data: collections } = useCollections()
  const formatLinked = useCallback(
    ({ id: target, collection, email, data }: Linked) => {
      const fields = objectIn(data)
      if (email !== undefined) return formatUser({ email, data: fields })
      return formatTitle(
        { id: target, data: fields },
        collections?.find((each) => each.name === collection),
      )
    },
    [collections],
  )
  const step = useCallback(
    (document: Document, from: string, by: number) => {
      const next = findNextCell(shown, document, from, by)
      setEditing(next === undefined ? undefined : { id: document.id, column: next })
      if (next === undefined)
        requestAnimationFrame(() => window.document.querySelector<HTMLElement>('main .grid')?.focus())
    },
    [shown],
  )
  const columns = useMemo(() => {
    const render = (column: GridColumn) => (document: Document) => {
      const rule = editing?.id === document.id && editing.column === column.name && findCellRule(column, document)
      if (!rule) return <Cell {...{ document, column, schema, formatLinked, onLink: openLink }} />
      const onDone = (by: number) => step(document, column.name, by)
      return <CellEditor {...{ collection: name, document, column, rule, schema, onDone }} />
    }
    return buildColumns(layout, query, picked, listLoaded, render)
  }, [layout, query, picked, listLoaded, editing, schema, formatLinked, openLink, step, name])
  const edit = (index: number, column: string) => {
    const document = documents.at(index)
    const chosen = shown.find((each) => each.name === column)
    if (document && chosen && findCellRule(chosen, document)) setEditing({ id: document.id, column })
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it handles events of the rows, which have the focus.
    <div
      className="documents"
      onDoubleClick={(event) => {
        const at = findCell(event)
        const column = at && columns[at.column]?.name
        if (!at || column === undefined) return
        // The browser selects the word below the pointer.
        getSelection()?.removeAllRanges()
        edit(at.row, column)
      }}
      onKeyDown={({ key }) => {
        const document = key === 'F2' ? listLoaded().find((each) => each.id === id) : undefined
        if (document) step(document, '', 1)
      }}
    >
      <Grid
        label={`Documents in ${name}`}
        columns={columns}
        count={documents.total ?? 0}
        rowAt={documents.at}
        getId={(document) => document.id}
        selected={id}
        fresh={fresh}
        picked={picked.ids}
        hasBar={picked.ids.size > 0}
        onOpen={open}
        onRange={documents.setRange}
      />
    </div>
  )
}

/** Returns the next cell of the row that can be edited in place, if any. */
function findNextCell(
  columns: readonly GridColumn[],
  document: Document,
  from: string,
  by: number,
): string | undefined {
  if (by === 0) return undefined
  const at = columns.findIndex(({ name }) => name === from)
  const others = by > 0 ? columns.slice(at + 1) : columns.slice(0, Math.max(at, 0)).reverse()
  return others.find((column) => findCellRule(column, document) !== undefined)?.name
}

/** Finds the place of the cell that an event is about. */
function findCell({ target }: MouseEvent): { readonly row: number; readonly column: number } | undefined {
  const cell = (target as Element).closest('[role="cell"]')
  const row = cell?.closest('[role="row"]')
  if (!cell || !row) return undefined
  return { row: Number(row.getAttribute('aria-rowindex')) - 1, column: [...row.children].indexOf(cell) }
}

const boxWidth = 40
const enumWidth = 'minmax(104px, 160px)'
const emptyWidth = '112px'
const pinnedWidth = { text: 216, id: 96, other: 128 }

function buildColumns(
  { columns, resize }: GridLayout,
  query: QueryState,
  picked: Picked,
  listLoaded: () => readonly Document[],
  render: (column: GridColumn) => Column<Document>['cell'],
): Column<Document>[] {
  let left = boxWidth
  const shown = columns.filter(({ isShown }) => isShown)
  const built = shown.map((column): Column<Document> => {
    const own = { ...buildColumn(column, query, render), onResize: (to: number | undefined) => resize(column.name, to) }
    const width = column.width ?? (column.isPinned ? choosePinnedWidth(column) : undefined)
    if (width === undefined) return own
    if (!column.isPinned) return { ...own, width: `${width}px` }
    left += width
    return { ...own, width: `${width}px`, pinnedAt: left - width }
  })
  return [buildBoxes(picked, listLoaded), ...built]
}

function choosePinnedWidth({ name, type }: GridColumn): number {
  if (name === idColumn) return pinnedWidth.id
  return type === 'text' ? pinnedWidth.text : pinnedWidth.other
}

function buildColumn(
  column: GridColumn,
  query: QueryState,
  render: (column: GridColumn) => Column<Document>['cell'],
): Column<Document> {
  const { name, title, type, typeWord } = column
  if (name === idColumn) {
    const cell = ({ id }: Document) => <span className="mono dim">{shortId(id)}</span>
    return { name, head: <SortHead query={query} field="id" title={title} />, width: '96px', cell }
  }
  if (name === createdColumn) {
    const cell = ({ createdAt }: Document) => <Time at={createdAt} />
    return { name, head: <SortHead query={query} field="createdAt" title={title} />, width: '110px', cell }
  }
  return {
    name,
    head: <SortHead query={query} field={name} title={title} type={typeWord} />,
    width: chooseColumnWidth(column),
    isNumber: type === 'number',
    cell: render(column),
  }
}

function chooseColumnWidth({ name, type, rule, isEmpty }: GridColumn): string {
  if (isEmpty) return emptyWidth
  return rule?.enum ? enumWidth : chooseWidth({ name, type: type ?? 'text' })
}

function buildBoxes(picked: Picked, listLoaded: () => readonly Document[]): Column<Document> {
  return {
    name: ' box',
    head: <AllBox picked={picked} listLoaded={listLoaded} />,
    width: `${boxWidth}px`,
    pinnedAt: 0,
    cell: (document) => (
      <input
        type="checkbox"
        className="row-box"
        aria-label={`Select ${shortId(document.id)}`}
        checked={picked.ids.has(document.id)}
        onClick={(event) => {
          event.stopPropagation()
          picked.toggle(document, event.shiftKey)
        }}
        onChange={() => undefined}
      />
    ),
  }
}

function AllBox({ picked, listLoaded }: { picked: Picked; listLoaded: () => readonly Document[] }) {
  const count = picked.ids.size
  const all = listLoaded()
  const isAll = count > 0 && all.every(({ id }) => picked.ids.has(id))
  return (
    <input
      type="checkbox"
      className="row-box"
      aria-label="Select the loaded rows"
      title="Select the loaded rows"
      checked={isAll}
      ref={(box) => {
        if (box) box.indeterminate = count > 0 && !isAll
      }}
      onChange={() => picked.pickAll(all)}
    />
  )
}

interface HeadProps {
  readonly query: QueryState
  readonly field: string
  readonly title: string
  readonly type?: string | undefined
}

/** Cycles through ascending, descending and unsorted. With Shift, keeps the other fields of the order. */
function SortHead({ query: { sort, change }, field, title, type }: HeadProps) {
  const at = sort.findIndex(({ path }) => formatPath(path) === field)
  const direction = sort[at]?.direction
  const next = direction === undefined ? 'asc' : direction === 'asc' ? 'desc' : undefined
  const own: Sort[] = next ? [{ path: [field], direction: next }] : []
  const place = at < 0 ? sort.length : at
  const rank = sort.length > 1 ? String(at + 1) : ''
  return (
    <button
      type="button"
      className="sort"
      onClick={({ shiftKey }) =>
        change({ sort: shiftKey ? [...sort.slice(0, place), ...own, ...sort.slice(place + 1)] : own })
      }
      title={`Sort by ${title}. Press Shift to keep the other fields.`}
    >
      {title}
      {direction === undefined ? null : <span aria-hidden="true">{` ${direction === 'asc' ? '↑' : '↓'}${rank}`}</span>}
      {type === undefined ? null : <em>{type}</em>}
    </button>
  )
}
