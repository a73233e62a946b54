/** Converts a seed to steps for the emulator, each with its position for error messages. */
import { maxBatchItems } from '../client/protocol/model/limits.js'
import { type Reference, referenceName, referencesIn } from '../client/protocol/model/seed/references.js'
import type { SeedDocument, SeedStep } from '../client/protocol/model/seed/steps.js'
import type { CollectionEntry, DocumentEntry, FileEntry, SeedContent, UserEntry } from './content.js'
import { badSeed } from './failure.js'
import { findReferences, inOrder, meant, qualifyName, requireReferred } from './order.js'

/** A step, and positions for error messages. */
export interface PlacedStep {
  readonly step: SeedStep
  /** Returns the position, such as `seed.json:5`, and the entry there, such as `posts.hello`; empty if the position is enough. */
  whereIs(path: readonly (string | number)[]): { readonly place: string; readonly what: string }
}

/** Ids that an earlier run of the seed assigned, by document name. */
export type KnownIds = (collection: CollectionEntry) => ReadonlyMap<string, string>

export interface StepOptions {
  readonly knownIds: KnownIds
  readonly key: string | undefined
  /** Previous content of the seed. Unchanged parts are skipped. */
  readonly before?: SeedContent | undefined
}

/** @throws {InputFailure} for references without a target, and for circular ones */
export function buildSteps(content: SeedContent, { knownIds, key, before }: StepOptions): PlacedStep[] {
  requireReferred(content)
  for (const collection of content.collections) requireKeys(collection, key)
  // References to ids may point to later documents, because the emulator assigns ids in advance.
  const ordered = inOrder(content, ({ path }) => path.join() === 'id')
  const owned = ownedFiles(content)
  const referred = new Set(
    ordered.flatMap(findReferences).map((reference) => qualifyName(meant(content, reference), reference.document)),
  )
  return [
    ...content.files.map(fileStep),
    ...content.users.map((user) => userStep(user, owned, before)),
    ...ordered.flatMap((collection) => [
      collectionStep(collection, key),
      ...documentSteps(collection, {
        referred,
        owned,
        ids: knownIds(collection),
        same: fieldsIn(before, collection.name),
      }),
    ]),
  ]
}

/** Refuses documents without their key, which would be created again at each run. */
export function requireKeys({ name, key, documents }: CollectionEntry, given: string | undefined): void {
  const field = key ?? given
  if (field === undefined) return
  const keyless = documents.find(({ fields }) => !['string', 'number', 'boolean'].includes(typeof fields[field]))
  if (!keyless) return
  const what = `"${name}.${keyless.name}" needs a string, number or boolean in its key "${field}"`
  throw badSeed(keyless.place, what)
}

/** Names the form part of a file. */
export function partName(file: Pick<FileEntry, 'name'>): string {
  return `file ${file.name}`
}

function fileStep(file: FileEntry): PlacedStep {
  const { name, path, isOwned } = file
  return { step: { step: 'file', name, part: partName(file), path, isOwned }, whereIs: whole(file, `files.${name}`) }
}

function userStep(user: UserEntry, owned: ReadonlySet<string>, before: SeedContent | undefined): PlacedStep {
  const { place: _, ...entry } = user
  const isSame = before?.users.some(({ place: _, ...other }) => JSON.stringify(other) === JSON.stringify(entry))
  const files = filesIn(referencesIn(user.data ?? {}), owned)
  return { step: { step: 'user', ...entry, ...files, isSame }, whereIs: whole(user, `users.${user.name}`) }
}

function collectionStep(collection: CollectionEntry, key: string | undefined): PlacedStep {
  const { name, schema, unique, title, permissions } = collection
  const settings = { schema, unique, title, permissions }
  const step = { step: 'collection', name, ...settings, key: collection.key ?? key, isAnswered: true } as const
  return { step, whereIs: whole(collection, name) }
}

interface Links {
  readonly referred: ReadonlySet<string>
  readonly owned: ReadonlySet<string>
  readonly ids: ReadonlyMap<string, string>
  /** Serialized fields of the documents in the previous seed. */
  readonly same: ReadonlySet<string>
}

function fieldsIn(before: SeedContent | undefined, name: string): Set<string> {
  const documents = before?.collections.find((one) => one.name === name)?.documents ?? []
  return new Set(documents.map(({ fields }) => JSON.stringify(fields)))
}

/** Splits documents into steps of the maximum batch size. */
function documentSteps({ name, documents }: CollectionEntry, links: Links): PlacedStep[] {
  const steps: PlacedStep[] = []
  for (let at = 0; at < documents.length; at += maxBatchItems) {
    const some = documents.slice(at, at + maxBatchItems)
    steps.push({
      step: { step: 'documents', documents: some.map((document) => buildDocument(name, document, links)) },
      whereIs([index]) {
        const one = some[Number(index)]
        return { place: one?.place ?? '', what: `${name}.${one?.name}` }
      },
    })
  }
  return steps
}

function buildDocument(
  collection: string,
  { name, fields }: DocumentEntry,
  { referred, owned, ids, same }: Links,
): SeedDocument {
  const references = referencesIn(fields)
  return {
    data: fields,
    name,
    id: ids.get(name),
    ...(same.has(JSON.stringify(fields)) ? { isSame: true } : {}),
    ...(references.length > 0 ? { hasReferences: true } : {}),
    ...(referred.has(qualifyName(referenceName(collection), name)) ? { isReferred: true } : {}),
    ...filesIn(references, owned),
  }
}

function filesIn(references: readonly Reference[], owned: ReadonlySet<string>): { files?: readonly string[] } {
  const files = references.filter((one) => one.collection === 'files' && owned.has(one.document))
  return files.length === 0 ? {} : { files: [...new Set(files.map(({ document }) => document))] }
}

/** Collects owned files. @throws {InputFailure} unless exactly one record refers to each */
function ownedFiles(content: SeedContent): Set<string> {
  const records = [
    ...content.users.map(({ data = {} }) => referencesIn(data)),
    ...content.collections.flatMap(({ documents }) => documents.map(({ fields }) => referencesIn(fields))),
  ]
  const owned = content.files.filter(({ isOwned }) => isOwned)
  for (const { name, place } of owned) {
    const owners = records.filter((references) =>
      references.some(({ collection, document }) => collection === 'files' && document === name),
    )
    if (owners.length === 1) continue
    throw badSeed(
      place,
      `"files.${name}" is owned, so exactly one document or user must refer to it, not ${owners.length}`,
    )
  }
  return new Set(owned.map(({ name }) => name))
}

function whole(entry: { readonly place: string }, what: string): PlacedStep['whereIs'] {
  return () => ({ place: entry.place, what })
}
