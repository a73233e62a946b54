/** Links of a schema, which the target checks when a document is created. */
import { findRule, type Schema } from '../../client/protocol/model/collection.js'
import type { Json, JsonObject } from '../../client/protocol/model/json.js'
import { listTargets } from '../../client/protocol/model/link-targets.js'

/** Puts the targets of links before the collections that link to them. Leaves cycles as they are. */
export function inLinkOrder<Work extends { readonly name: string; readonly schema: Schema }>(
  works: readonly Work[],
): Work[] {
  const byName = new Map(works.map((work) => [work.name, work]))
  const ordered = new Set<Work>()
  const seen = new Set<Work>()
  const visit = (work: Work) => {
    if (seen.has(work)) return
    seen.add(work)
    for (const to of listTargets(work.schema)) {
      const target = byName.get(to)
      if (target) visit(target)
    }
    ordered.add(work)
  }
  for (const work of works) visit(work)
  return [...ordered]
}

/** Leaves out links to documents that the target does not have yet, unless they are required. They are set later. */
export function withoutOpenLinks(schema: Schema, data: JsonObject, missing: ReadonlySet<string>): JsonObject {
  if (Object.values(schema).every(({ type }) => type !== 'link')) return data
  const isOpen = (id: Json | undefined) => typeof id === 'string' && missing.has(id)
  const fields = Object.entries(data).flatMap(([name, value]): [string, Json][] => {
    const rule = findRule(schema, name)
    if (rule?.type !== 'link') return [[name, value]]
    if (Array.isArray(value)) return [[name, value.filter((id) => !isOpen(id))]]
    return isOpen(value) && !rule.required ? [] : [[name, value]]
  })
  return Object.fromEntries(fields)
}
