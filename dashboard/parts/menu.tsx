import { Menu as Base } from '@base-ui/react/menu'
import type { ReactNode } from 'react'

export interface MenuEntry {
  readonly label: string
  readonly run: () => void
  readonly isBad?: boolean
}

export function Menu({
  label,
  trigger,
  entries,
  look = 'button plain',
}: {
  label?: string
  /** Class of the button that opens it. */
  look?: 'button plain' | 'link'
  trigger: ReactNode
  entries: readonly MenuEntry[]
}) {
  return (
    <Base.Root>
      <Base.Trigger className={look} aria-label={label}>
        {trigger}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="menu-place" sideOffset={4} align="end">
          <Base.Popup className="menu">
            {entries.map(({ label, run, isBad }) => (
              <Base.Item key={label} className={`menu-item ${isBad ? 'bad' : ''}`} onClick={run}>
                {label}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
