/** Creates collections whose links lead to each other, in any order. */
import { type Collection, type Schema, usersWord } from '../../client/protocol/model/collection.js'
import { mapRules } from '../../client/protocol/model/link-targets.js'
import type { Client } from '../base/target-command.js'
import { createIfMissing } from './create-if-missing.js'

type Settings = Pick<Collection, 'name' | 'schema' | 'unique' | 'title' | 'permissions'>

/**
 * Creates the collections that are missing. Links to collections that stay missing become plain ids, because the
 * service refuses them.
 *
 * @param list names the collections of a service that does not list them
 */
export async function createLinked(
  client: Client,
  wanted: readonly Settings[],
  list = async () => (await client.collections.list()).map(({ name }) => name),
): Promise<void> {
  if (wanted.length === 0) return
  const known = new Set(await list())
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
  return mapRules(schema, (rule) => {
    const { to, many, onDelete: _, ...others } = rule
    if (to === undefined || to === usersWord || known.has(to)) return rule
    return { ...others, type: many ? 'array' : 'string' } as typeof rule
  })
}
