import { Icon } from './icons.js'

interface GripProps {
  /** Names what is moved. */
  readonly label: string
  /** The type of the dragged data, so that only the same list takes it. */
  readonly kind: string
  /** The dragged data. */
  readonly item: string
  /** Moves by the arrow keys. Receives the grip, because moving may take its focus. */
  readonly onMove: (by: number, grip: HTMLElement) => void
}

/** The handle that moves a row of a list. */
export function Grip({ label, kind, item, onMove }: GripProps) {
  return (
    <button
      type="button"
      className="grip"
      aria-label={`Move ${label}`}
      title="Move with the arrow keys or by dragging"
      draggable
      onKeyDown={(event) => {
        const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
        if (by === undefined) return
        event.preventDefault()
        onMove(by, event.currentTarget)
      }}
      onDragStart={(event) => event.dataTransfer.setData(kind, item)}
    >
      <Icon name="grip" />
    </button>
  )
}
