/** The pane of a page that edits settings: what the changes do, and the buttons that save or discard them. */

import type { ReactNode } from 'react'
import { counted } from '../../../client/protocol/model/figures.js'
import { Button } from '../../parts/button.js'
import { shortcut } from '../../parts/words.js'
import { FootFailure, ToFix } from './document/document-foot.js'
import type { Settings } from './use-settings.js'

interface SideProps {
  readonly title: string
  readonly facts: string
  readonly settings: Omit<Settings<unknown>, 'change'>
  readonly changes: number
  readonly wrong: readonly string[]
  readonly onFix: (name: string) => void
  readonly children: ReactNode
}

export function SettingsSide({ title, facts, settings, changes, wrong, onFix, children }: SideProps) {
  const { isChanged, isSaving, failure, discard, save } = settings
  return (
    <aside className="side" aria-label={title}>
      <header className="pane-head">
        <div className="grow">
          <h2>{title}</h2>
          <div className="mono dim pane-facts">{facts}</div>
        </div>
      </header>
      <div className="pane-body">{children}</div>
      <footer className="pane-foot">
        <FootFailure error={failure} />
        {isChanged && wrong.length === 0 ? <span className="warn">{counted(changes, 'change')}</span> : null}
        <ToFix names={wrong} onFix={onFix} />
        <span className="grow" />
        {isChanged ? <Button onClick={discard}>Discard</Button> : null}
        <Button look="main" disabled={!isChanged || isSaving || wrong.length > 0} onClick={save}>
          Save <kbd>{shortcut('S')}</kbd>
        </Button>
      </footer>
    </aside>
  )
}
