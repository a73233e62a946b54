/** Sorts the collections of a seed, and validates references. */
import { type Reference, referenceName, referencesIn } from '../client/protocol/model/seed/references.js'
import type { CollectionEntry, SeedContent } from './content.js'
import { badSeed } from './failure.js'

/**
 * Sorts collections so that referenced ones come first.
 *
 * @param isLoose tells whether a reference may point to a later document
 * @throws {InputFailure} for circular references that are not loose
 */
export function inOrder(
  content: SeedContent,
  isLoose: (reference: Reference) => boolean = () => false,
): CollectionEntry[] {
  const byName = new Map(content.collections.map((collection) => [referenceName(collection.name), collection]))
  const findTargets = (collection: CollectionEntry, references: readonly Reference[]) =>
    [...new Set(references.map((reference) => meant(content, reference)))].flatMap((name) => {
      const target = byName.get(name)
      return target && target !== collection ? [target] : []
    })
  const needed = (one: CollectionEntry) =>
    findTargets(
      one,
      findReferences(one).filter((reference) => !isLoose(reference)),
    )
  const refuse = (circle: readonly CollectionEntry[]) => {
    const names = circle.map(({ name }) => name).join(' → ')
    throw badSeed(circle[0]?.documents[0]?.place ?? '', `circular references between collections: ${names}`)
  }
  sorted(content.collections, needed, refuse)
  const wished = sorted(
    content.collections,
    (one) => findTargets(one, findReferences(one)),
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

/** Tells whether a name in references means the users or files of the seed. */
function isPart({ hasUsers, hasFiles }: Pick<SeedContent, 'hasUsers' | 'hasFiles'>, name: string): boolean {
  return (name === 'users' && hasUsers) || (name === 'files' && hasFiles)
}

/** Resolves the target of a reference: a part of the seed, or the `referenceName` of a collection. */
export function meant(content: Pick<SeedContent, 'hasUsers' | 'hasFiles'>, { collection }: Reference): string {
  return isPart(content, collection) ? collection : referenceName(collection)
}

export function findReferences({ documents }: CollectionEntry): Reference[] {
  return documents.flatMap(({ fields }) => referencesIn(fields))
}

/** @throws {InputFailure} for a reference without a target */
export function requireReferred(content: SeedContent): void {
  const names = new Set([
    ...content.collections.flatMap(({ name, documents }) =>
      documents.map((document) => qualifyName(referenceName(name), document.name)),
    ),
    ...content.users.map(({ name }) => qualifyName('users', name)),
    ...content.files.map(({ name }) => qualifyName('files', name)),
  ])
  const require = (place: () => string, name: string, references: readonly Reference[]) => {
    const missing = references.find(
      (reference) => !names.has(qualifyName(meant(content, reference), reference.document)),
    )
    if (!missing) return
    const noun = isPart(content, missing.collection) ? missing.collection.slice(0, -1) : 'document'
    throw badSeed(place(), `"${name}" refers to ${missing.text}, but this ${noun} does not exist`)
  }
  for (const user of content.users) require(() => user.place, user.name, referencesIn(user.data ?? {}))
  for (const { documents } of content.collections) {
    for (const one of documents) require(() => one.place, one.name, referencesIn(one.fields))
  }
}

/** Joins the names of a collection or part and a record. Neither contains a dot. */
export function qualifyName(collection: string, name: string): string {
  return `${collection}.${name}`
}
