import { type PointerEvent, useRef } from 'react'

const minWidth = 48
const maxWidth = 1_200

/** Keeps the width of a column usable. */
export function limitWidth(width: number): number {
  return Math.round(Math.min(Math.max(width, minWidth), maxWidth))
}

/** Sets the width of the column whose head contains it. A double click restores the usual width. */
export function ResizeHandle({ onResize }: { onResize: (width: number | undefined) => void }) {
  const drag = useRef<{ readonly from: number; readonly width: number }>(undefined)
  const begin = (event: PointerEvent<HTMLSpanElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    drag.current = { from: event.clientX, width: event.currentTarget.parentElement?.offsetWidth ?? minWidth }
  }
  return (
    <span
      className="resize"
      aria-hidden="true"
      onPointerDown={begin}
      onPointerMove={({ clientX }) =>
        drag.current && onResize(limitWidth(drag.current.width + clientX - drag.current.from))
      }
      onLostPointerCapture={() => {
        drag.current = undefined
      }}
      onDoubleClick={(event) => {
        event.stopPropagation()
        onResize(undefined)
      }}
    />
  )
}
