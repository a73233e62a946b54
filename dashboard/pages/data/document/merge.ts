/** Three-way merge of a document, field by field. */
import type { Fields, Json } from '../../../../client/index.js'
import { equalJson, setOwn } from '../../../../client/protocol/model/json.js'

export interface Choice {
  readonly field: string
  readonly mine: Json | undefined
  readonly theirs: Json | undefined
}

export interface Merged {
  /** All changes that only one side made, and mine for fields in conflict. */
  readonly data: Fields
  readonly choices: readonly Choice[]
}

export function merge(base: Fields, mine: Fields, theirs: Fields): Merged {
  const data: Fields = {}
  const choices: Choice[] = []
  for (const field of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const [was, here, there] = [own(base, field), own(mine, field), own(theirs, field)]
    const isMine = !equalJson(was, here)
    const isTheirs = !equalJson(was, there)
    if (isMine && isTheirs && !equalJson(here, there)) choices.push({ field, mine: here, theirs: there })
    const value = isMine ? here : there
    if (value !== undefined) setOwn(data, field, value)
  }
  return { data, choices }
}

/** Takes their value of one field. */
export function withTheirs(data: Fields, { field, theirs }: Choice): Fields {
  const next: Fields = {}
  for (const [name, value] of Object.entries(data)) if (name !== field) setOwn(next, name, value)
  if (theirs !== undefined) setOwn(next, field, theirs)
  return next
}

function own(fields: Fields, name: string): Json | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}
