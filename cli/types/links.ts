/** Fields that hold ids of documents, and the collections that these are of. */
import type { Client } from '../../client/index.js'
import type { SvcError } from '../../client/protocol/model/errors.js'
import { plural } from './names.js'
import { areMostlyIds, type Observed } from './observe.js'
import { isHidden } from './read-collections.js'

/** A place that held nothing but ids, or a few other values beside them. */
interface IdPlace {
  readonly field: string
  readonly place: Observed
}

export type ReadsLinks = Pick<Client, 'collection' | 'users'>

/** Ids that are asked for at once: more would make too long an address. */
const idsAtOnce = 50

/**
 * Finds out, by asking the service for them, which collection the ids at each place lead to. Those that lead to several, or
 * nowhere, are not links.
 */
export async function findLinks(
  client: ReadsLinks,
  collections: readonly { readonly name: string; readonly documents: Observed }[],
): Promise<(place: Observed) => string | undefined> {
  const places = collections.flatMap(({ documents }) => idPlaces(documents))
  const foundIn = new Map<string, string>()
  const byName = collections.map(({ name }) => name)
  // Most are named for what they lead to, so that a look or two finds them.
  for (const { field, place } of places) {
    const [likely] = byName.filter((name) => isNamedFor(field, name))
    if (likely !== undefined) await lookUp(client, likely, idsOf(place), foundIn)
  }
  const asked = new Set(places.flatMap(({ place }) => idsOf(place)))
  for (const name of byName) {
    const open = [...asked].filter((id) => !foundIn.has(id))
    if (open.length === 0) break
    await lookUp(client, name, open, foundIn)
  }
  // A collection of that name would be what `Link<'users'>` means.
  if (!byName.includes(usersName)) await lookUpUsers(client, [...asked], foundIn)
  const links = new Map(places.map(({ place }) => [place, collectionOf(place, foundIn)]))
  return (place) => links.get(place)
}

function idPlaces(seen: Observed, field = ''): IdPlace[] {
  const here = seen.texts?.format === 'id' || areMostlyIds(seen) ? [{ field, place: seen }] : []
  const fields = [...(seen.objects?.fields ?? [])].flatMap(([name, place]) => idPlaces(place, name))
  return [...here, ...fields, ...(seen.items ? idPlaces(seen.items, field) : [])]
}

/** As `author`, `authorId`, `author_ids` and `authors` are for the collection `authors`. */
function isNamedFor(field: string, collection: string): boolean {
  const word = field.replace(/_?ids?$/i, '').toLowerCase()
  const name = collection.toLowerCase()
  return word !== '' && (name === word || name === plural(word))
}

function idsOf(place: Observed): string[] {
  return [...(place.texts?.ids ?? [])]
}

/** Notes which of the ids are there. A collection that may not be read has none of them. */
async function lookUp(
  client: ReadsLinks,
  name: string,
  ids: readonly string[],
  foundIn: Map<string, string>,
): Promise<void> {
  const { list } = client.collection(name)
  await note(name, ids, foundIn, (some) => list({ where: { id: { in: some } }, limit: idsAtOnce, count: false }))
}

/** The same for ids of users. */
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

/** Documents may be deleted while ids of theirs stay, so not all need to be there. */
function collectionOf(place: Observed, foundIn: ReadonlyMap<string, string>): string | undefined {
  const ids = idsOf(place)
  const found = ids.flatMap((id) => foundIn.get(id) ?? [])
  const [first, ...others] = [...new Set(found)]
  return others.length === 0 && 2 * found.length >= ids.length ? first : undefined
}
