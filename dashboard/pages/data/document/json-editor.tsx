/** JSON editor, loaded on first use. */
import { autocompletion, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { bracketMatching, foldGutter, indentOnInput } from '@codemirror/language'
import { type Diagnostic, linter, setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState, type Text } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { findNodeAtLocation, parseTree } from 'jsonc-parser'
import { useEffect, useRef } from 'react'
import type { Issue } from '../../../../client/index.js'
import { keptAsText, withExactIntegers } from '../../../../client/protocol/model/exact-json.js'
import { codeLook } from '../../../parts/code-look.js'
import { completeJson, type KnownFields } from './json-completion.js'

export interface JsonEditorProps {
  readonly value: string
  readonly onChange: (text: string) => void
  readonly onSave: () => void
  /** Validation errors from the service, shown at their fields. */
  readonly issues: readonly Issue[]
  readonly known: KnownFields
  /** Initial cursor position. Undefined if the editor must not take the focus. */
  readonly startAt: () => number | undefined
  /** Receives a function that returns the cursor position while the editor has the focus. */
  readonly cursor: { current: () => number | undefined }
}

/** Linting longer texts would slow down typing. */
const maxLinted = 300_000

export default function JsonEditor({ value, onChange, onSave, issues, known, startAt, cursor }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const start = useRef(startAt)
  const calls = useRef({ onChange, onSave, known })
  calls.current = {
    ...{ onSave, known },
    onChange(text) {
      typed.current.push(text)
      onChange(text)
    },
  }
  const first = useRef(value)
  const refused = useRef<Refused>(undefined)
  // Texts that were typed but not rendered yet. On a slow page, the next key may come first.
  const typed = useRef<string[]>([])

  useEffect(() => {
    if (!host.current) return
    const opened = new EditorView({
      parent: host.current,
      state: EditorState.create({ doc: first.current, extensions: createExtensions(calls, refused) }),
    })
    view.current = opened
    cursor.current = () => (opened.hasFocus ? opened.state.selection.main.head : undefined)
    const at = start.current()
    if (at !== undefined) {
      opened.dispatch({ selection: { anchor: Math.min(at, opened.state.doc.length) } })
      opened.focus()
    }
    return () => opened.destroy()
  }, [cursor])

  useEffect(() => {
    const opened = view.current
    const at = typed.current.lastIndexOf(value)
    if (at >= 0) typed.current.splice(0, at + 1)
    if (at >= 0 || !opened || opened.state.doc.toString() === value) return
    typed.current = []
    opened.dispatch({ changes: { from: 0, to: opened.state.doc.length, insert: value } })
  }, [value])

  useEffect(() => {
    const opened = view.current
    if (!opened) return
    refused.current = { text: opened.state.doc, issues }
    opened.dispatch(setDiagnostics(opened.state, filterMarks(opened.state.doc, refused.current)))
  }, [issues])

  return <div className="editor" ref={host} />
}

/** Marks integers that are saved as text. */
function keptIntegers(text: string): Diagnostic[] {
  const marks: Diagnostic[] = []
  withExactIntegers(text, (literal, from) => {
    marks.push({ from, to: from + literal.length, severity: 'warning', message: keptAsText(literal) })
  })
  return marks
}

interface Current<Value> {
  readonly current: Value
}

function createExtensions(
  calls: Current<Pick<JsonEditorProps, 'onChange' | 'onSave' | 'known'>>,
  refused: Current<Refused | undefined>,
) {
  const save = () => {
    calls.current.onSave()
    return true
  }
  const parse = jsonParseLinter()
  // The linter replaces all marks, so add those of the service again.
  const lint = (opened: EditorView) => {
    const { doc } = opened.state
    const own = doc.length > maxLinted ? [] : [...parse(opened), ...keptIntegers(doc.toString())]
    return [...own, ...filterMarks(doc, refused.current)]
  }
  return [
    [
      lineNumbers(),
      foldGutter(),
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      highlightActiveLine(),
    ],
    [highlightSelectionMatches(), json(), codeLook],
    // An id as a value is just wider than a phone.
    innerWidth < 720 ? EditorView.lineWrapping : [],
    autocompletion({ override: [(context) => completeJson(context, calls.current.known)], icons: false }),
    linter(lint, { delay: 400 }),
    EditorView.contentAttributes.of({ 'aria-label': 'JSON of the document' }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) calls.current.onChange(update.state.doc.toString())
    }),
    keymap.of([
      { key: 'Mod-s', run: save },
      ...completionKeymap,
      ...defaultKeymap,
      ...historyKeymap,
      ...searchKeymap,
      indentWithTab,
    ]),
  ]
}

/** A text that the service refused, with the validation errors. */
interface Refused {
  readonly text: Text
  readonly issues: readonly Issue[]
}

/** Returns no marks if the text has changed since it was sent. */
function filterMarks(doc: Text, refused: Refused | undefined): Diagnostic[] {
  return refused?.text.eq(doc) ? createDiagnostics(doc.toString(), refused.issues) : []
}

/** Finds the refused fields in the text. Marks the parent object if a field is missing. */
function createDiagnostics(text: string, issues: readonly Issue[]): Diagnostic[] {
  const root = issues.length === 0 ? undefined : parseTree(text)
  if (!root) return []
  return issues.map(({ path, message }) => {
    const node = findNodeAtLocation(root, [...path]) ?? findNodeAtLocation(root, path.slice(0, -1)) ?? root
    const to = node === root ? 1 : node.offset + node.length
    return { from: node.offset, to, severity: 'error', message: `${path.join('.')} ${message}` }
  })
}
