/** Lays out an editor with its history above a result. */
import { type ReactNode, Suspense } from 'react'
import { Button } from '../../parts/button.js'
import { Menu } from '../../parts/menu.js'
import { Skeleton } from '../../parts/states.js'
import { lazyPart } from '../../session/scripts.js'
import type { CodeEditorProps } from './code-editor.js'
import type { KeptText } from './kept-text.js'

const CodeEditor = lazyPart(() => import('./code-editor.js'))

interface WorkbenchProps extends Pick<CodeEditorProps, 'complete' | 'fault' | 'onRun'> {
  readonly kept: KeptText
  readonly isBusy: boolean
  /** Buttons for the text or the result. */
  readonly actions: ReactNode
  /** One line about the answer. */
  readonly status: string
  readonly children: ReactNode
}

const maxShown = 20

export function Workbench({ kept, isBusy, actions, status, children, onRun, ...editor }: WorkbenchProps) {
  const { text, change, runs } = kept
  return (
    <div className="workbench">
      <div className="workbench-editor">
        <Suspense fallback={<Skeleton rows={3} />}>
          <CodeEditor {...editor} value={text} onChange={change} onRun={onRun} />
        </Suspense>
      </div>
      <div className="strip">
        <Button look="main" disabled={isBusy || text.trim() === ''} onClick={onRun} title="Ctrl Enter">
          {isBusy ? 'Running' : 'Run'}
        </Button>
        {runs.length === 0 ? null : (
          <Menu
            trigger="History"
            entries={runs.slice(0, maxShown).map((run) => ({ label: oneLine(run), run: () => change(run) }))}
          />
        )}
        <span className="facts cut grow" role="status">
          {status}
        </span>
        {actions}
      </div>
      <div className="workbench-answer">{children}</div>
    </div>
  )
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > 70 ? `${line.slice(0, 69)}…` : line
}
