/** Stores links to collections by id, so that renaming changes nothing, and shows them by name. Contract 13.1. */
import { type Schema, type StoredCollection, usersWord } from '../../../client/protocol/model/collection.js'
import type { Issue } from '../../../client/protocol/model/errors.js'
import { listTargets, mapTargets } from '../../../client/protocol/model/link-targets.js'
import { selectNamedCollections } from '../../store/collections.js'
import { isOutOfScope } from '../access/scopes.js'
import type { Context } from '../context.js'
import { requireNoIssues } from './schemas.js'

type Named = Pick<StoredCollection, 'id' | 'name'>

/**
 * Replaces the names of collections by their ids.
 *
 * @param own the collection of the schema, which links can lead to before it is stored
 * @param before the stored schema, whose links may stay although their collection is gone
 * @throws {SvcError} `VALIDATION_ERROR` for an unknown collection
 */
export async function resolveTargets(ctx: Context, own: Named, schema: Schema, before: Schema = {}): Promise<Schema> {
  const targets = listTargets(schema)
  if (targets.length === 0) return schema
  const known = [...(await findCollections(ctx, targets)), own]
  const ids = new Map([
    ...listTargets(before).map((id) => [id, id] as const),
    ...known.map(({ id }) => [id, id] as const),
    ...known.map(({ id, name }) => [name, id] as const),
    [usersWord, usersWord] as const,
  ])
  const issues: Issue[] = []
  const resolved = mapTargets(schema, (to, path) => {
    const message = 'must be the name of a collection, or "users"'
    if (!ids.has(to)) issues.push({ path: ['schema', ...path], message, type: 'to' })
    return ids.get(to) ?? to
  })
  requireNoIssues(issues)
  return resolved
}

/** Replaces the ids of collections by their names. Keeps the id of one that is gone. */
export async function nameTargets(ctx: Context, schema: Schema): Promise<Schema> {
  const targets = listTargets(schema).filter((to) => to !== usersWord)
  return targets.length === 0 ? schema : openTargetNames(await findCollections(ctx, targets))(schema)
}

/** Returns a function that replaces the ids of these collections by their names. */
export function openTargetNames(known: readonly Named[]): (schema: Schema) => Schema {
  // A collection with the name "users" keeps its id, because the word stands for the users of the project.
  const names = new Map(known.flatMap(({ id, name }) => (name === usersWord ? [] : [[id, name] as const])))
  return (schema) => mapTargets(schema, (to) => names.get(to) ?? to)
}

/** Leaves out collections that the caller's key must not know. */
async function findCollections({ caller, db, project }: Context, targets: readonly string[]): Promise<Named[]> {
  const found = await selectNamedCollections(db, project.id, targets)
  return found.filter(({ name }) => !isOutOfScope(caller, name))
}
