import { Menu as Base } from '@base-ui/react/menu'
import type { ReactNode } from 'react'

export interface MenuEntry {
  readonly words: string
  readonly run: () => void
  readonly isBad?: boolean
}

export function Menu({
  label,
  trigger,
  entries,
}: {
  label?: string
  trigger: ReactNode
  entries: readonly MenuEntry[]
}) {
  return (
    <Base.Root>
      <Base.Trigger className="button plain" aria-label={label}>
        {trigger}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="menu-place" sideOffset={4} align="end">
          <Base.Popup className="menu">
            {entries.map(({ words, run, isBad }) => (
              <Base.Item key={words} className={`menu-item ${isBad ? 'bad' : ''}`} onClick={run}>
                {words}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
