/** Selects fields of records. Contract 13.4. */
import { isId } from '../../../client/protocol/model/document.js'
import { isObject, type Json, type JsonObject, JsonText, setOwn } from '../../../client/protocol/model/json.js'
import type { Path } from '../../../client/protocol/model/path.js'
import { ownField } from '../../../client/protocol/model/where.js'

/** Paths by their first field. Paths with a common beginning share a branch. */
export interface Branches extends Map<string, Branches> {}

/** Undefined selects all fields. A field without branches is selected as a whole. */
export type Selected = Branches | undefined

/** Builds the selection of a request. The fields of the service itself always stay, so selecting one adds nothing. */
export function buildSelection(select: readonly Path[]): Selected {
  if (select.length === 0) return undefined
  const root: Branches = new Map()
  for (const path of select) if (!ownField(path)) addSelected(root, path)
  return root
}

function addSelected(branches: Branches, [field, next, ...rest]: Path): void {
  const known = branches.get(field)
  if (next === undefined) branches.set(field, new Map())
  else if (known?.size !== 0) {
    const below: Branches = known ?? new Map()
    branches.set(field, below)
    addSelected(below, [next, ...rest])
  }
}

/** Returns what is selected of the records that a field links to. */
export function selectedBelow(selected: Selected, field: string): Selected {
  const below = selected?.get(field)
  return below?.size === 0 ? undefined : below
}

/** Cuts paths to populate where nothing further is selected, so that no record is loaded in vain. */
export function cutToSelected(selected: Selected, path: Path): Path[] {
  let branches = selected
  for (const [at, field] of path.entries()) {
    if (!branches) return [path]
    if (!branches.has(field)) {
      const [first, ...rest] = path.slice(0, at)
      return first === undefined ? [] : [[first, ...rest]]
    }
    branches = selectedBelow(branches, field)
  }
  return [path]
}

/** Keeps the selected fields, and the ids that `links` replace by records. */
export function selectFields(data: JsonText, selected: Selected, links: Branches): JsonText {
  if (!selected) return data
  return new JsonText(JSON.stringify(selectMembers(data.toJSON() as JsonObject, selected, links)))
}

/** Walks the fields that there are, because an array can have far more items than fields in them. */
function selectMembers(fields: JsonObject, selected: Branches, links: Branches | undefined): JsonObject {
  const members: JsonObject = {}
  for (const [field, value] of Object.entries(fields)) {
    const below = selected.get(field)
    const kept = below && selectIn(value ?? null, below, links?.get(field))
    if (kept !== undefined) setOwn(members, field, kept)
  }
  return members
}

function selectIn(value: Json, below: Branches, links: Branches | undefined): Json | undefined {
  if (below.size === 0) return value
  if (Array.isArray(value)) return value.flatMap((item) => selectIn(item, below, links) ?? [])
  if (isObject(value)) return selectMembers(value, below, links)
  return links && typeof value === 'string' && isId(value) ? value : undefined
}
