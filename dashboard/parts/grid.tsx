// Virtual rows are positioned by hand, which table elements do not allow. They have the roles of a table instead.
/** A virtual list with rows of 32 px. Arrow keys, j and k move the selection. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type KeyboardEvent, memo, type ReactNode, useEffect, useRef, useState } from 'react'
import { limitWidth, ResizeHandle } from './resize-handle.js'

export interface Column<Row> {
  readonly name: string
  readonly head: ReactNode
  /** A CSS grid track, such as `96px` or `minmax(120px, 1fr)`. */
  readonly width: string
  /** The width on narrow screens, or null to hide the column there. Defaults to `width`. */
  readonly narrowWidth?: string | null
  readonly isNumber?: boolean
  /** Stays at the left while the others scroll, this many pixels from the edge. The width must be in pixels. */
  readonly pinnedAt?: number
  /** Sets the width in pixels, or the usual width again. Without it, the width is fixed. */
  readonly onResize?: (width: number | undefined) => void
  readonly cell: (row: Row) => ReactNode
}

interface GridProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly count: number
  /** Undefined while loading. */
  readonly rowAt: (index: number) => Row | undefined
  readonly getId: (row: Row) => string
  readonly selected?: string | undefined
  readonly onOpen?: (row: Row) => void
  /** Keys only move a marker, and Enter opens the row. Use it if `onOpen` leaves the page. */
  readonly isOpenedByEnter?: boolean
  readonly fresh?: ReadonlySet<string>
  /** Ids of the rows with a checked box. */
  readonly picked?: ReadonlySet<string>
  /** Leaves room below the last row for a floating bar. */
  readonly hasBar?: boolean
  /** Receives the rows in view. */
  readonly onRange?: (from: number, to: number) => void
}

const rowHeight = 32
const barHeight = 64
/** Browsers cannot draw beyond about 33 million pixels. */
const maxRows = 1_000_000

export function Grid<Row>(props: GridProps<Row>) {
  const { label, columns, count, rowAt, getId, onOpen, isOpenedByEnter = false, fresh, picked, onRange } = props
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: Math.min(count, maxRows),
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  const items = rows.getVirtualItems()
  const [from, to] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useEffect(() => onRange?.(from, to), [onRange, from, to])

  const at = useRef(-1)
  const [marked, setMarked] = useState<string>()
  const selected = isOpenedByEnter ? marked : props.selected
  function move(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
    if (event.key === 'Enter' && event.target === event.currentTarget) {
      // Otherwise, the same key press activates the focused button, which closes the pane.
      event.preventDefault()
      if (isOpenedByEnter) openMarked()
      else document.querySelector<HTMLElement>('.pane button, .pane input, .pane [tabindex]')?.focus()
    }
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, Home: -count, End: count }[event.key]
    if (step === undefined || !onOpen) return
    event.preventDefault()
    const next = Math.min(Math.max(at.current + step, 0), count - 1)
    const row = rowAt(next)
    rows.scrollToIndex(next)
    if (!row) return
    at.current = next
    if (isOpenedByEnter) setMarked(getId(row))
    // At either end the row is already open, and opening it again would close it.
    else if (getId(row) !== selected) onOpen(row)
  }
  function openMarked() {
    const row = rowAt(at.current)
    if (row !== undefined && getId(row) === marked) onOpen?.(row)
  }
  const shown = items.find(({ index }) => {
    const row = rowAt(index)
    return row !== undefined && getId(row) === selected
  })
  // Keys continue from this row even after it scrolled out of view.
  if (shown) at.current = shown.index

  return (
    <div
      className="grid"
      ref={scroller}
      role="table"
      aria-label={label}
      aria-rowcount={count}
      tabIndex={0}
      style={buildTracks(columns)}
      onKeyDown={move}
    >
      <div className="grid-inner">
        <div className="grid-head" role="row">
          {columns.map((column) => (
            <div
              key={column.name}
              role="columnheader"
              className={`${chooseClass(column)} ${column.isNumber ? 'num' : ''}`}
              style={pin(column)}
              onKeyDown={(event) => resizeByKey(event, column.onResize)}
            >
              {column.head}
              {column.onResize ? <ResizeHandle onResize={column.onResize} /> : null}
            </div>
          ))}
        </div>
        <div
          className="grid-rows"
          role="rowgroup"
          style={{ height: rows.getTotalSize() + (props.hasBar ? barHeight : 0) }}
        >
          {items.map(({ index, start, key }) => {
            const row = rowAt(index)
            const id = row === undefined ? undefined : getId(row)
            return (
              <Row
                key={key}
                {...{ row, index, start, columns, onOpen }}
                isSelected={id !== undefined && id === selected}
                isPicked={id !== undefined && (picked?.has(id) ?? false)}
                isFresh={id !== undefined && (fresh?.has(id) ?? false)}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** Sets the grid tracks for wide and narrow screens. The style sheet chooses. */
function buildTracks(columns: readonly Pick<Column<never>, 'width' | 'narrowWidth'>[]): CSSProperties {
  const narrow = columns.flatMap(({ width, narrowWidth = width }) => narrowWidth ?? [])
  return {
    '--tracks': columns.map(({ width }) => width).join(' '),
    '--narrow-tracks': narrow.join(' '),
  } as CSSProperties
}

function chooseClass({ narrowWidth, pinnedAt }: Pick<Column<never>, 'narrowWidth' | 'pinnedAt'>): string {
  const pinned = pinnedAt === undefined ? '' : 'pinned'
  return `${narrowWidth === null ? 'cut wide-only' : 'cut'} ${pinned}`
}

const keyStep = 16

/** Shift with ← or → on the head of a column changes its width. */
function resizeByKey(event: KeyboardEvent<HTMLElement>, onResize: Column<never>['onResize']): void {
  const by = { ArrowLeft: -keyStep, ArrowRight: keyStep }[event.key]
  if (by === undefined || !event.shiftKey || !onResize) return
  event.preventDefault()
  onResize(limitWidth(event.currentTarget.offsetWidth + by))
}

function pin({ pinnedAt }: Pick<Column<never>, 'pinnedAt'>): CSSProperties | undefined {
  return pinnedAt === undefined ? undefined : { left: pinnedAt }
}

/** Keys typed into a cell are its own. */
function isTyping({ target, currentTarget }: KeyboardEvent): boolean {
  return (
    target !== currentTarget && (target as Element).closest('input:not([type="checkbox"]), textarea, select') !== null
  )
}

interface RowProps<Value> {
  readonly row: Value | undefined
  readonly index: number
  readonly start: number
  readonly columns: readonly Column<Value>[]
  readonly isSelected: boolean
  readonly isPicked: boolean
  readonly isFresh: boolean
  readonly onOpen: ((row: Value) => void) | undefined
}

/** Memoized, so that scrolling renders only the rows that come into view. */
const Row = memo(function Row<Value>(props: RowProps<Value>) {
  const { row, index, start, columns, isSelected, isPicked, isFresh, onOpen } = props
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the grid's.
    <div
      role="row"
      aria-rowindex={index + 1}
      className={`grid-row ${isSelected ? 'sel' : ''} ${isPicked ? 'pick' : ''} ${isFresh ? 'fresh' : ''}`}
      style={{ transform: `translateY(${start}px)` }}
      onClick={() => row !== undefined && onOpen?.(row)}
    >
      {columns.map((column) => (
        <div
          key={column.name}
          role="cell"
          className={`${chooseClass(column)} ${column.isNumber ? 'num mono' : ''}`}
          style={pin(column)}
        >
          {row === undefined ? <i className="ghost" /> : column.cell(row)}
        </div>
      ))}
    </div>
  )
}) as <Value>(props: RowProps<Value>) => ReactNode
