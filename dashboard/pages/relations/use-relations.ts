/** Which collections lead to which, by what their newest documents hold. */
import { useQuery } from '@tanstack/react-query'
import type { Client, Document } from '../../../client/index.js'
import { useCollections } from '../../frame/counts.js'
import { unlessRefused } from '../../live/again.js'
import { linkedIn, linkFieldsOf } from '../../parts/columns.js'
import { useSession } from '../../session/context.js'

/** A field of a collection whose ids lead to another one. */
export interface Link {
  readonly from: string
  readonly field: string
  readonly to: string
  /** Documents that have such a link, of those that were read. */
  readonly documents: number
  readonly read: number
}

export interface Relations {
  /** With the number of their documents, where it may be known. */
  readonly collections: readonly { readonly name: string; readonly total: number | null }[]
  readonly links: readonly Link[]
  /** Collections that were not looked at. */
  readonly leftOut: number
}

const mostCollections = 60
const mostDocuments = 20
/** So many collections are read at once. */
const atOnce = 4
/** What stands for the users, who are in no collection. No collection may have this name. */
export const usersName = '(users)'

export function useRelations() {
  const { client, acting } = useSession()
  const collections = useCollections()
  const names = (collections.data ?? []).map(({ name }) => name)
  const relations = useQuery({
    // Any change of a document would invalidate it: it is refetched on demand only.
    queryKey: ['relations', acting?.user.id ?? '', names.join(' ')],
    queryFn: () => readRelations(client, names),
    enabled: collections.data !== undefined,
    staleTime: 60_000,
  })
  return { ...relations, error: collections.error ?? relations.error }
}

async function readRelations(client: Client, all: readonly string[]): Promise<Relations> {
  const names = all.slice(0, mostCollections)
  const found = new Map<string, Awaited<ReturnType<typeof readCollection>>>()
  const waiting = [...names]
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      found.set(name, await readCollection(client, name))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  const links = names.flatMap((name) => found.get(name)?.links ?? [])
  const collections = names.map((name) => ({ name, total: found.get(name)?.total ?? null }))
  // A link may lead to one that was not looked at.
  const others = new Set(links.map(({ to }) => to).filter((to) => !names.includes(to)))
  return {
    collections: [...collections, ...[...others].map((name) => ({ name, total: null }))],
    links,
    leftOut: all.length - names.length,
  }
}

async function readCollection(client: Client, name: string): Promise<{ total: number | null; links: Link[] }> {
  const documents = client.collection(name)
  // One that this user may not read is shown without what is in it.
  const newest = await documents.list({ limit: mostDocuments }).catch(unlessRefused)
  if (!newest) return { total: null, links: [] }
  const links: Link[] = []
  for (const fields of linkFieldsOf(newest.items as Document[])) {
    const { items } = await documents.list({ limit: mostDocuments, count: false, populate: fields })
    links.push(...fields.flatMap((field) => linksOf(name, field, items as Document[])))
  }
  return { total: newest.total, links }
}

/** A field may lead to several collections. */
function linksOf(from: string, field: string, documents: readonly Document[]): Link[] {
  const counts = new Map<string, number>()
  for (const { data } of documents) {
    const places = [data[field]].flat().flatMap((value) => {
      const linked = linkedIn(value)
      if (!linked) return []
      return linked.email === undefined ? (linked.collection ?? []) : usersName
    })
    for (const to of new Set(places)) counts.set(to, (counts.get(to) ?? 0) + 1)
  }
  return [...counts].map(([to, count]) => ({ from, field, to, documents: count, read: documents.length }))
}
