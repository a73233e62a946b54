/** Finds the fields that hold document ids, and the collections those belong to. */
import type { Client } from '../client/index.js'
import type { SvcError } from '../client/protocol/model/errors.js'
import { plural } from './names.js'
import { areMostlyIds, nothingObserved, type Observed } from './observe.js'
import { isHidden } from './read-collections.js'

/** A field whose values are all, or almost all, ids. */
interface IdPlace {
  readonly field: string
  readonly place: Observed
}

export type ReadsLinks = Pick<Client, 'collection' | 'users'>

/** Ids per query. More would make the URL too long. */
const idsAtOnce = 50

/**
 * Asks the service which collection the ids of each field belong to. Ids from several collections, or from none, are
 * not links.
 */
export async function findLinks(
  client: ReadsLinks,
  collections: readonly { readonly name: string; readonly documents: Observed }[],
): Promise<(place: Observed) => string | undefined> {
  const places = collections.flatMap(({ documents }) => idPlaces(documents))
  const foundIn = new Map<string, string>()
  const byName = collections.map(({ name }) => name)
  // Tries the collection that the field is named after first, because it usually matches.
  for (const { field, place } of places) {
    const [likely] = byName.filter((name) => isNamedFor(field, name))
    if (likely !== undefined) await lookUp(client, likely, idsIn(place), foundIn)
  }
  const asked = new Set(places.flatMap(({ place }) => idsIn(place)))
  for (const name of byName) {
    const open = [...asked].filter((id) => !foundIn.has(id))
    if (open.length === 0) break
    await lookUp(client, name, open, foundIn)
  }
  // A collection named "users" takes precedence: `Link<'users'>` refers to it.
  if (!byName.includes(usersName)) await lookUpUsers(client, [...asked], foundIn)
  const links = new Map(places.map(({ place }) => [place, findCollection(place, foundIn)]))
  return (place) => links.get(place)
}

/** Finds the links from one collection, which may lead to any other. */
export async function findLinksFrom(
  client: ReadsLinks & Pick<Client, 'collections'>,
  { name, documents }: { readonly name: string; readonly documents: Observed },
): Promise<(place: Observed) => string | undefined> {
  const collections = await client.collections.list()
  const others = collections.filter((each) => each.name !== name)
  return findLinks(client, [
    { name, documents },
    ...others.map((other) => ({ name: other.name, documents: nothingObserved() })),
  ])
}

function idPlaces(seen: Observed, field = ''): IdPlace[] {
  const here = seen.texts?.format === 'id' || areMostlyIds(seen) ? [{ field, place: seen }] : []
  const fields = [...(seen.objects?.fields ?? [])].flatMap(([name, place]) => idPlaces(place, name))
  return [...here, ...fields, ...(seen.items ? idPlaces(seen.items, field) : [])]
}

/** Matches `author`, `authorId`, `author_ids`, and `authors` with the collection `authors`. */
function isNamedFor(field: string, collection: string): boolean {
  const word = field.replace(/_?ids?$/i, '').toLowerCase()
  const name = collection.toLowerCase()
  return word !== '' && (name === word || name === plural(word))
}

function idsIn(place: Observed): string[] {
  return [...(place.texts?.ids ?? [])]
}

/** Records which ids exist. A collection the caller cannot read has none. */
async function lookUp(
  client: ReadsLinks,
  name: string,
  ids: readonly string[],
  foundIn: Map<string, string>,
): Promise<void> {
  const { list } = client.collection(name)
  await note(name, ids, foundIn, (some) => list({ where: { id: { in: some } }, limit: idsAtOnce, count: false }))
}

/** Does the same for user ids. */
async function lookUpUsers({ users }: ReadsLinks, ids: readonly string[], foundIn: Map<string, string>): Promise<void> {
  await note(usersName, ids, foundIn, (some) =>
    users.list({ where: { id: { in: some } }, limit: idsAtOnce, count: false }),
  )
}

const usersName = 'users'

async function note(
  name: string,
  ids: readonly string[],
  foundIn: Map<string, string>,
  list: (some: string[]) => Promise<{ readonly items: readonly { readonly id: string }[] }>,
): Promise<void> {
  const open = ids.filter((id) => !foundIn.has(id))
  for (let from = 0; from < open.length; from += idsAtOnce) {
    const { items } = await list(open.slice(from, from + idsAtOnce)).catch(noneIfHidden)
    for (const { id } of items) foundIn.set(id, name)
  }
}

function noneIfHidden(error: SvcError): { items: [] } {
  if (isHidden(error) || error.code === 'NOT_FOUND') return { items: [] }
  throw error
}

/** Requires only half of the ids to exist, because documents may be deleted while links to them remain. */
function findCollection(place: Observed, foundIn: ReadonlyMap<string, string>): string | undefined {
  const ids = idsIn(place)
  const found = ids.flatMap((id) => foundIn.get(id) ?? [])
  const [first, ...others] = [...new Set(found)]
  return others.length === 0 && 2 * found.length >= ids.length ? first : undefined
}
