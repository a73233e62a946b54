/** Page layout: head, list, and a pane at the right for the selected item. */
import { type DragEvent, type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Icon } from './icons.js'
import { keepPreference, preference } from './preference.js'

interface PageProps {
  readonly title: string
  /** Leads to other pages of the same record. */
  readonly tabs?: ReactNode
  /** One line of facts. */
  readonly facts?: ReactNode
  readonly actions?: ReactNode
  /** A strip below the head, such as filters. */
  readonly strip?: ReactNode
  readonly children: ReactNode
  /** Shows the selected item. */
  readonly pane?: ReactNode
}

export function Page({ title, tabs, facts, actions, strip, children, pane }: PageProps) {
  useEffect(() => {
    document.title = `${title} · svc`
  }, [title])
  return (
    <section className="page" aria-label={title}>
      <div className="bar">
        <h1>{title}</h1>
        {tabs}
        <span className="facts cut grow">{facts}</span>
        {actions}
      </div>
      {strip}
      <div className="content">
        <div className="list">{children}</div>
        {pane}
      </div>
    </section>
  )
}

interface DropTargetProps {
  readonly onFiles: (files: readonly File[]) => void
  readonly children: ReactNode
}

/** Prevents the browser from opening a file that is dropped outside a drop target. */
for (const kind of ['dragover', 'drop'] as const) {
  addEventListener(kind, (event) => {
    const isTaken = event.target instanceof HTMLInputElement && event.target.type === 'file'
    if (!isTaken && event.dataTransfer?.types.includes('Files')) event.preventDefault()
  })
}

/** Accepts dropped files. */
export function DropTarget({ onFiles, children }: DropTargetProps) {
  const [isOver, setOver] = useState(false)
  const over = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button above does the same by keyboard.
    <div
      className={`drop ${isOver ? 'over' : ''}`}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        onFiles([...event.dataTransfer.files])
      }}
    >
      {children}
    </div>
  )
}

interface PaneProps {
  readonly title: ReactNode
  readonly facts?: ReactNode
  readonly actions?: ReactNode
  readonly onClose: () => void
  readonly foot?: ReactNode
  readonly children: ReactNode
}

const narrowest = 320

export function Pane({ title, facts, actions, onClose, foot, children }: PaneProps) {
  const [width, startDrag] = useWidth()
  useEffect(() => {
    const close = (event: KeyboardEvent) => {
      // An editor handles Esc first, for example to close its completions.
      const isTaken = event.defaultPrevented || (event.target as Element).closest('.dialog, .menu')
      if (event.key === 'Escape' && !isTaken) onClose()
    }
    addEventListener('keydown', close)
    return () => removeEventListener('keydown', close)
  }, [onClose])
  // Returns the keyboard focus to the list when the pane closes.
  useEffect(
    () => () => {
      if (document.activeElement === document.body) document.querySelector<HTMLElement>('main .grid')?.focus()
    },
    [],
  )
  return (
    <aside className="pane" style={{ width }} aria-label="Selected">
      <div className="pane-edge" onPointerDown={startDrag} aria-hidden="true" />
      <header className="pane-head">
        <div className="grow">
          <h2 className="cut">{title}</h2>
          <div className="mono dim pane-facts">{facts}</div>
        </div>
        {actions}
        <button type="button" className="icon-button" onClick={onClose} aria-label="Close">
          <Icon name="close" />
        </button>
      </header>
      <div className="pane-body">{children}</div>
      {foot === undefined ? null : <footer className="pane-foot">{foot}</footer>}
    </aside>
  )
}

/** Stores the dragged width of the pane in the browser. */
function useWidth(): [number, (event: PointerEvent) => void] {
  const [width, setWidth] = useState(() => Number(preference('pane')) || 420)
  const latest = useRef(width)
  function startDrag(event: PointerEvent) {
    event.preventDefault()
    const [from, before] = [event.clientX, latest.current]
    const move = ({ clientX }: { clientX: number }) => {
      latest.current = Math.min(Math.max(before + from - clientX, narrowest), innerWidth - 420)
      setWidth(latest.current)
    }
    const end = () => {
      removeEventListener('pointermove', move)
      keepPreference('pane', String(latest.current))
    }
    addEventListener('pointermove', move)
    addEventListener('pointerup', end, { once: true })
  }
  return [width, startDrag]
}

/** A list of names and values. */
export function Facts({ rows }: { rows: readonly (readonly [name: string, value: ReactNode, action?: ReactNode])[] }) {
  return (
    <dl className="rows">
      {rows.map(([name, value, action]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="cut">{value}</dd>
          {action === undefined ? null : <dd>{action}</dd>}
        </div>
      ))}
    </dl>
  )
}

/** Headers of a request or an answer. A tooltip shows the full value. */
export function Headers({ headers }: { headers: readonly (readonly [name: string, value: string])[] }) {
  return (
    <Facts
      rows={headers.map(
        ([name, value]) =>
          [
            name,
            <span key={name} title={value}>
              {value}
            </span>,
          ] as const,
      )}
    />
  )
}
