/** Orders the collections of a seed and checks that every reference resolves. */
import { type Reference, referenceName, referencesIn } from '../client/protocol/model/seed/references.js'
import type { CollectionEntry, SeedContent } from './content.js'
import { badSeed } from './failure.js'

/**
 * Puts collections that others refer to first.
 *
 * @param isLoose returns whether a reference may point to a later collection
 * @throws {InputFailure} if the other references form a cycle
 */
export function inOrder(
  content: SeedContent,
  isLoose: (reference: Reference) => boolean = () => false,
): CollectionEntry[] {
  const byName = new Map(content.collections.map((collection) => [referenceName(collection.name), collection]))
  const findTargets = (collection: CollectionEntry, references: readonly Reference[]) =>
    [...new Set(references.map((reference) => resolveTarget(content, reference)))].flatMap((name) => {
      const target = byName.get(name)
      return target && target !== collection ? [target] : []
    })
  const needed = (one: CollectionEntry) =>
    findTargets(
      one,
      collectReferences(one).filter((reference) => !isLoose(reference)),
    )
  const refuse = (circle: readonly CollectionEntry[]) => {
    const names = circle.map(({ name }) => name).join(' → ')
    throw badSeed(circle[0]?.documents[0]?.place ?? '', `the collections refer to each other in a cycle: ${names}`)
  }
  sorted(content.collections, needed, refuse)
  const wished = sorted(
    content.collections,
    (one) => findTargets(one, collectReferences(one)),
    () => undefined,
  )
  return sorted(wished, needed, refuse)
}

function sorted(
  collections: readonly CollectionEntry[],
  findTargets: (collection: CollectionEntry) => readonly CollectionEntry[],
  onCircle: (circle: readonly CollectionEntry[]) => void,
): CollectionEntry[] {
  const ordered = new Set<CollectionEntry>()
  const visit = (collection: CollectionEntry, path: readonly CollectionEntry[]) => {
    if (ordered.has(collection)) return
    if (path.includes(collection)) return onCircle([...path.slice(path.indexOf(collection)), collection])
    for (const target of findTargets(collection)) visit(target, [...path, collection])
    ordered.add(collection)
  }
  for (const collection of collections) visit(collection, [])
  return [...ordered]
}

/** Returns whether the name means the seed's users or files. */
function isPart({ hasUsers, hasFiles }: Pick<SeedContent, 'hasUsers' | 'hasFiles'>, name: string): boolean {
  return (name === 'users' && hasUsers) || (name === 'files' && hasFiles)
}

/** Returns the target of a reference: a part of the seed, or a collection by its `referenceName`. */
export function resolveTarget(content: Pick<SeedContent, 'hasUsers' | 'hasFiles'>, { collection }: Reference): string {
  return isPart(content, collection) ? collection : referenceName(collection)
}

export function collectReferences({ documents }: CollectionEntry): Reference[] {
  return documents.flatMap(({ fields }) => referencesIn(fields))
}

/** @throws {InputFailure} for a reference to something the seed does not contain */
export function requireReferred(content: SeedContent): void {
  const names = new Set([
    ...content.collections.flatMap(({ name, documents }) =>
      documents.map((document) => qualifiedName(referenceName(name), document.name)),
    ),
    ...content.users.map(({ name }) => qualifiedName('users', name)),
    ...content.files.map(({ name }) => qualifiedName('files', name)),
  ])
  const require = (place: () => string, name: string, references: readonly Reference[]) => {
    const missing = references.find(
      (reference) => !names.has(qualifiedName(resolveTarget(content, reference), reference.document)),
    )
    if (!missing) return
    const noun = isPart(content, missing.collection) ? missing.collection.slice(0, -1) : 'document'
    throw badSeed(place(), `"${name}" refers to ${missing.text}, but the seed does not contain this ${noun}`)
  }
  for (const user of content.users) require(() => user.place, user.name, referencesIn(user.data ?? {}))
  for (const { documents } of content.collections) {
    for (const one of documents) require(() => one.place, one.name, referencesIn(one.fields))
  }
}

/** Joins a collection or part with a name. Collections and parts have no dot. */
export function qualifiedName(collection: string, name: string): string {
  return `${collection}.${name}`
}
