/** SQL editor of the console. */
import { autocompletion, type CompletionSource, closeCompletion, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { PostgreSQL, sql } from '@codemirror/lang-sql'
import { bracketMatching } from '@codemirror/language'
import { setDiagnostics } from '@codemirror/lint'
import { EditorState, Prec } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { codeLook } from '../../parts/code-look.js'

export interface CodeEditorProps {
  readonly value: string
  readonly onChange: (text: string) => void
  readonly onRun: () => void
  readonly complete: CompletionSource
  /** Error message and its position. */
  readonly fault: { readonly at: number; readonly message: string } | undefined
}

export default function CodeEditor({ value, onChange, onRun, complete, fault }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const calls = useRef({ onChange, onRun, complete })
  calls.current = { onChange, onRun, complete }
  const first = useRef(value)

  useEffect(() => {
    if (!host.current) return
    const run = (running: EditorView) => {
      closeCompletion(running)
      calls.current.onRun()
      return true
    }
    const extensions = [
      [lineNumbers(), history(), drawSelection(), bracketMatching(), codeLook, EditorView.lineWrapping],
      sql({ dialect: PostgreSQL }),
      placeholder('select * from posts'),
      autocompletion({ override: [(context) => calls.current.complete(context)], icons: false }),
      EditorView.contentAttributes.of({ 'aria-label': 'SQL query' }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) calls.current.onChange(update.state.doc.toString())
      }),
      Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
      keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
    ]
    const opened = new EditorView({
      parent: host.current,
      state: EditorState.create({ doc: first.current, extensions }),
    })
    view.current = opened
    return () => opened.destroy()
  }, [])

  useEffect(() => {
    const opened = view.current
    if (!opened || opened.state.doc.toString() === value) return
    opened.dispatch({ changes: { from: 0, to: opened.state.doc.length, insert: value } })
  }, [value])

  useEffect(() => {
    const opened = view.current
    if (!opened) return
    const text = opened.state.doc.toString()
    const at = Math.min(fault?.at ?? 0, text.length)
    const [word = ''] = /^"?[\w$.]+"?|^./.exec(text.slice(at)) ?? []
    const from = word === '' && at > 0 ? at - 1 : at
    const found = fault ? [{ from, to: at + word.length, severity: 'error' as const, message: fault.message }] : []
    opened.dispatch(setDiagnostics(opened.state, found))
  }, [fault])

  return <div className="editor" ref={host} />
}
