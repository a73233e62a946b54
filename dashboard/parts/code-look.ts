/** Editor theme in the colours of the page. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView, highlightSpecialChars } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--ink-2)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: tags.number, color: 'var(--info)' },
  { tag: [tags.bool, tags.null, tags.keyword], color: 'var(--plum)' },
  { tag: tags.comment, color: 'var(--ink-3)', fontStyle: 'italic' },
])

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '12px', backgroundColor: 'var(--panel)', color: 'var(--ink)' },
  '.cm-scroller': { fontFamily: 'var(--code)', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--ink-3)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 5%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused': { outline: 'none' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-soft) !important' },
  '.cm-panels': { backgroundColor: 'var(--sunk)', color: 'var(--ink)' },
  '.cm-placeholder': { color: 'var(--ink-3)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--code)', fontSize: '12px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px !important', lineHeight: '20px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-soft) !important',
    color: 'var(--ink) !important',
  },
  '.cm-completionDetail': { color: 'var(--ink-3)', fontStyle: 'normal !important', marginLeft: '12px' },
  '.cm-completionMatchedText': { textDecoration: 'none !important', color: 'var(--accent)' },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', borderColor: 'var(--line-strong)', color: 'var(--ink)' },
})

/** Also shows bidirectional and other invisible characters, which could make a value look like another one. */
export const codeLook = [syntaxHighlighting(colours), highlightSpecialChars(), theme]
