/** Guards hidden and read-only fields in writes. Decision 71. */
import type { Schema } from '../../../client/protocol/model/collection.js'
import { type Fields, parseFields, type StoredDocument } from '../../../client/protocol/model/document.js'
import { overlap, type Path } from '../../../client/protocol/model/path.js'
import { withDefaults } from '../../../client/protocol/model/schema.js'
import { refusedField, schemaCheckedFor } from './closed-fields.js'
import { allows, type Grant, type Memberships, outermost } from './grant.js'
import { compare, holds, restore, type Standing, type Stored, without } from './paths.js'

/** Applies the permissions on fields to a caller's writes. */
export interface FieldGuard {
  /** Returns the fields of a new document, given the fields as sent and with defaults. */
  created(sent: Fields, whole: Fields): Fields
  /** Edits the document as the caller sees it, and keeps what the caller cannot change. */
  changed(before: Changeable, edit: (before: Fields) => Fields, memberships?: Memberships): Fields
  /** The schema for checking a change, without hidden fields. */
  readonly schema: Schema
}

type Changeable = Pick<StoredDocument, 'id' | 'data' | 'createdBy'>

/** `unread`: the caller may change the document, but not read it. */
type Closure = 'hidden' | 'readonly' | 'unread'

const setWhenCreating = 'you can set it in a new document, but not change it later'
const unchanged = 'leave it out, or send it unchanged'
const fieldByField = 'change its sibling fields one by one'
const leaveOut = 'leave it out, since you cannot read the document'

/** Maps a write at a closed path to its outcome: `restore` keeps the stored value, any other text is the reason to refuse. */
const outcomes: Readonly<Record<Closure, Readonly<Record<Standing, string>>>> = {
  hidden: { absent: 'restore', same: setWhenCreating, other: setWhenCreating, around: fieldByField },
  readonly: { absent: 'restore', same: 'restore', other: unchanged, around: unchanged },
  unread: { absent: 'restore', same: leaveOut, other: leaveOut, around: fieldByField },
}

/** Returns functions that throw `FORBIDDEN` or `UNAUTHORIZED` if a write touches a closed field. */
export function guardFields(grant: Grant): FieldGuard {
  const { hidden, readonly } = grant
  const { schema } = grant.collection
  if (hidden.length === 0 && readonly.length === 0) {
    return { created: (_, whole) => whole, changed: (before, edit) => edit(parseFields(before)), schema }
  }

  function require(path: Path, closure: Closure, standing: Standing): void {
    const outcome = outcomes[closure][standing]
    if (outcome === 'restore') return
    throw refusedField(grant, path, hidden.includes(path) ? 'hidden' : 'readonly', outcome)
  }

  const unread = outermost([...hidden, ...readonly])
  const unreadHolders = unread.map(([first]): Path => [first])

  // The stored values must not decide whether the write is refused, so an edit of the rest of the document is compared.
  function changedUnread(full: Fields, edit: (before: Fields) => Fields): Fields {
    const sent = edit(without(full, unreadHolders))
    for (const path of unread) require(path, 'unread', Object.hasOwn(sent, path[0]) ? 'other' : 'absent')
    const seen = without(full, unread)
    const asked = edit(seen)
    for (const path of unread) require(path, 'unread', compare({ full, seen }, asked, path))
    return unread.reduce((after, path) => restore(full, after, path), asked)
  }

  let defaults: (Stored & { readonly full: Fields }) | undefined
  return {
    created(sent, whole) {
      defaults ??= defaultsSeen(schema, hidden)
      for (const path of readonly) {
        // Trying out values must not reveal a hidden default.
        const isGuess = hidden.some((other) => overlap(other, path)) && holds(sent, path)
        require(path, 'readonly', isGuess ? 'other' : compare(defaults, sent, path))
      }
      const { full } = defaults
      return readonly.reduce((after, path) => restore(full, after, path), whole)
    },
    changed(document, edit, memberships) {
      const full = parseFields(document)
      if (!allows(grant, 'read', document, memberships)) return changedUnread(full, edit)
      const seen = without(full, hidden)
      const asked = edit(seen)
      for (const closure of ['hidden', 'readonly'] as const) {
        for (const path of grant[closure]) require(path, closure, compare({ full, seen }, asked, path))
      }
      return unread.reduce((after, path) => restore(full, after, path), asked)
    },
    schema: schemaCheckedFor(grant),
  }
}

function defaultsSeen(schema: Schema, hidden: readonly Path[]) {
  const full = withDefaults(schema, {})
  return { full, seen: without(full, hidden) }
}
