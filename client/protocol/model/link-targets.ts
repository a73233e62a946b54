/** Finds and rewrites rules and the targets of links in a schema, at all levels. */
import type { Schema, ValueRule } from './collection.js'

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
export function mapTargets(schema: Schema, map: (to: string, path: Path) => string): Schema {
  return mapRules(schema, (rule, path) => {
    if (rule.to === undefined) return rule
    const to = map(rule.to, [...path, 'to'])
    return to === rule.to ? rule : { ...rule, to }
  })
}

type Change = <Rule extends ValueRule>(rule: Rule, path: Path) => Rule

/** Rewrites rules, outer ones first. Returns the same schema if nothing changes. */
export function mapRules(schema: Schema, change: Change, path: Path = []): Schema {
  const rules = Object.entries(schema).map(([name, rule]) => [name, mapRule(rule, change, [...path, name])] as const)
  return rules.every(([name, rule]) => rule === schema[name]) ? schema : Object.fromEntries(rules)
}

function mapRule<Rule extends ValueRule>(before: Rule, change: Change, path: Path): Rule {
  const rule = change(before, path)
  const fields = rule.fields && mapRules(rule.fields, change, [...path, 'fields'])
  const items = rule.items && mapRule(rule.items, change, [...path, 'items'])
  if (fields === rule.fields && items === rule.items) return rule
  return { ...rule, ...(fields ? { fields } : {}), ...(items ? { items } : {}) }
}
