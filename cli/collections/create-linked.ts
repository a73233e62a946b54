/** Creates collections whose links lead to each other, in any order. */
import {
  type Collection,
  type FieldRule,
  type Schema,
  usersWord,
  type ValueRule,
} from '../../client/protocol/model/collection.js'
import type { Client } from '../base/target-command.js'
import { createIfMissing } from './create-if-missing.js'

type Settings = Pick<Collection, 'name' | 'schema' | 'unique' | 'title' | 'permissions'>

/**
 * Creates the collections that are missing. Links to collections that stay missing become plain ids, because the
 * service refuses them.
 */
export async function createLinked(client: Client, wanted: readonly Settings[]): Promise<void> {
  if (wanted.length === 0) return
  const known = new Set((await client.collections.list()).map(({ name }) => name))
  const later: Settings[] = []
  for (const { name, schema, unique, title, permissions = {} } of wanted) {
    const now = withoutMissingLinks(schema, known.add(name))
    const settings = { ...(unique ? { unique } : {}), ...(title === undefined ? {} : { title }), permissions }
    const isNew = await createIfMissing(client, { name, schema: now, ...settings })
    if (isNew && now !== schema) later.push({ name, schema })
  }
  for (const { name, schema } of later) {
    await client.collections.update(name, { schema: withoutMissingLinks(schema, known) })
  }
}

function withoutMissingLinks(schema: Schema, known: ReadonlySet<string>): Schema {
  const rules = Object.entries(schema).map(([name, rule]) => [name, withoutMissingLink(rule, known)] as const)
  return rules.every(([name, rule]) => rule === schema[name]) ? schema : Object.fromEntries(rules)
}

function withoutMissingLink<Rule extends ValueRule | FieldRule>(rule: Rule, known: ReadonlySet<string>): Rule {
  const { to, many, onDelete: _, ...others } = rule
  if (to !== undefined && to !== usersWord && !known.has(to))
    return { ...others, type: many ? 'array' : 'string' } as Rule
  const fields = rule.fields && withoutMissingLinks(rule.fields, known)
  const items = rule.items && withoutMissingLink(rule.items, known)
  if (fields === rule.fields && items === rule.items) return rule
  return { ...rule, ...(fields ? { fields } : {}), ...(items ? { items } : {}) }
}
