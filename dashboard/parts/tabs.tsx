import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

export interface Tab {
  readonly name: string
  readonly title: string
  readonly count?: number | undefined
  /** The key that opens it. */
  readonly hint?: string
  readonly content: () => ReactNode
}

/** Renders only the open tab. */
export function Tabs({
  tabs,
  value,
  onChange,
}: {
  tabs: readonly Tab[]
  value: string
  onChange: (name: string) => void
}) {
  return (
    <Base.Root className="tabs-root" value={value} onValueChange={(next) => onChange(String(next))}>
      <Base.List className="tabs" activateOnFocus>
        {tabs.map(({ name, title, count, hint }) => (
          <Base.Tab key={name} value={name} className="tab">
            {title}
            {hint === undefined ? null : (
              <span aria-hidden="true">
                <kbd>{hint}</kbd>
              </span>
            )}
            {count === undefined ? null : <span className="mono dim">{count}</span>}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(({ name, content }) => (
        <Base.Panel key={name} value={name} className="tab-panel">
          {name === value ? content() : null}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
