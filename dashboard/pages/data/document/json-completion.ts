/** Completes field names and common values in the JSON editor. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { getLocation, parseTree } from 'jsonc-parser'

/** Loads fields and values of a collection on demand. */
export interface KnownFields {
  fields(): Promise<readonly { readonly name: string; readonly type: string }[]>
  /** Most common texts of a field. Empty if most documents have a different one. */
  values(field: string): Promise<readonly string[]>
}

/** Parsing longer texts on each key would slow down typing. */
const maxCharacters = 100_000

export async function completeJson(context: CompletionContext, known: KnownFields): Promise<CompletionResult | null> {
  const { doc } = context.state
  if (doc.length > maxCharacters) return null
  const text = doc.toString()
  const { path, isAtPropertyKey, previousNode } = getLocation(text, context.pos)
  const [field] = path
  if (path.length !== 1 || typeof field !== 'string') return null
  const end = previousNode ? previousNode.offset + previousNode.length : 0
  const isWithin = previousNode !== undefined && previousNode.offset < context.pos && context.pos <= end
  const from = isWithin ? previousNode.offset : (context.matchBefore(/"?\w*/)?.from ?? context.pos)
  if (from === context.pos && !context.explicit) return null
  const to = isWithin ? end : context.pos
  const options = isAtPropertyKey ? await completeKeys(text, known, to) : await completeValues(field, known)
  return options.length === 0 ? null : { from, to, options, validFor: /^"?[^"\n]*$/ }
}

async function completeKeys(text: string, known: KnownFields, to: number): Promise<Completion[]> {
  const there = new Set((parseTree(text)?.children ?? []).map(({ children }) => String(children?.[0]?.value)))
  const isFollowed = /^\s*:/.test(text.slice(to, to + 20))
  return (await known.fields().catch(() => []))
    .filter(({ name }) => !there.has(name))
    .map(({ name, type }) => {
      const label = JSON.stringify(name)
      return { label, displayLabel: name, detail: type, apply: isFollowed ? label : `${label}: ` }
    })
}

async function completeValues(field: string, known: KnownFields): Promise<Completion[]> {
  const type = (await known.fields().catch(() => [])).find(({ name }) => name === field)?.type
  if (type === 'boolean') return [{ label: 'true' }, { label: 'false' }]
  if (type !== 'text') return []
  return (await known.values(field).catch(() => [])).map((value) => ({
    label: JSON.stringify(value),
    displayLabel: value,
  }))
}
