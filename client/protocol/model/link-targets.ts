/** Finds and rewrites the targets of links in a schema, at all levels. */
import type { FieldRule, Schema, ValueRule } from './collection.js'

type Path = readonly string[]

/** Lists what the links of a schema lead to, without duplicates. */
export function listTargets(schema: Schema): string[] {
  const targets = new Set<string>()
  mapTargets(schema, (to) => {
    targets.add(to)
    return to
  })
  return [...targets]
}

/** Rewrites the targets of links. Returns the same schema if nothing changes. */
export function mapTargets(schema: Schema, map: (to: string, path: Path) => string, path: Path = []): Schema {
  let isChanged = false
  const mapped: { [name: string]: FieldRule } = {}
  for (const [name, rule] of Object.entries(schema)) {
    const after = mapRule(rule, map, [...path, name])
    if (after !== rule) isChanged = true
    Object.defineProperty(mapped, name, { value: after, writable: true, enumerable: true, configurable: true })
  }
  return isChanged ? mapped : schema
}

function mapRule<Rule extends ValueRule>(rule: Rule, map: (to: string, path: Path) => string, path: Path): Rule {
  const { to, fields, items } = rule
  const changes = {
    ...(to === undefined ? {} : { to: map(to, [...path, 'to']) }),
    ...(fields === undefined ? {} : { fields: mapTargets(fields, map, [...path, 'fields']) }),
    ...(items === undefined ? {} : { items: mapRule(items, map, [...path, 'items']) }),
  }
  const isChanged = Object.entries(changes).some(([option, value]) => rule[option as keyof typeof changes] !== value)
  return isChanged ? { ...rule, ...changes } : rule
}
