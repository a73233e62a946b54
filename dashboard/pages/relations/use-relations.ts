/** Finds links between collections in their newest documents. */
import { useQuery } from '@tanstack/react-query'
import type { Client, Document } from '../../../client/index.js'
import { useCollections } from '../../frame/counts.js'
import { ignoreRefusal } from '../../live/again.js'
import { findLinkFields, linkedIn } from '../../parts/columns.js'
import { useSession } from '../../session/context.js'

/** A field that links to another collection. */
export interface Link {
  readonly from: string
  readonly field: string
  readonly to: string
  /** Number of documents with this link, of those that were read. */
  readonly documents: number
  readonly read: number
}

export interface Relations {
  /** Collections with their number of documents, or null if the caller may not read them. */
  readonly collections: readonly { readonly name: string; readonly total: number | null }[]
  readonly links: readonly Link[]
  /** Number of collections that were not read. */
  readonly leftOut: number
}

const maxCollections = 60
const maxDocuments = 20
/** Limits concurrent reads. */
const atOnce = 4
/** Stands for the users, who are not in a collection. Not a valid collection name. */
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
  const names = all.slice(0, maxCollections)
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
  // Links may point to collections that were not read.
  const others = new Set(links.map(({ to }) => to).filter((to) => !names.includes(to)))
  return {
    collections: [...collections, ...[...others].map((name) => ({ name, total: null }))],
    links,
    leftOut: all.length - names.length,
  }
}

async function readCollection(client: Client, name: string): Promise<{ total: number | null; links: Link[] }> {
  const documents = client.collection(name)
  // Show a collection without links if this user may not read it.
  const newest = await documents.list({ limit: maxDocuments }).catch(ignoreRefusal)
  if (!newest) return { total: null, links: [] }
  const links: Link[] = []
  for (const fields of findLinkFields(newest.items as Document[])) {
    const { items } = await documents.list({ limit: maxDocuments, count: false, populate: fields })
    links.push(...fields.flatMap((field) => countLinks(name, field, items as Document[])))
  }
  return { total: newest.total, links }
}

/** Returns a link per target, because a field may link to several collections. */
function countLinks(from: string, field: string, documents: readonly Document[]): Link[] {
  const counts = new Map<string, number>()
  for (const { data } of documents) {
    const targets = [data[field]].flat().flatMap((value) => {
      const linked = linkedIn(value)
      if (!linked) return []
      return linked.email === undefined ? (linked.collection ?? []) : usersName
    })
    for (const to of new Set(targets)) counts.set(to, (counts.get(to) ?? 0) + 1)
  }
  return [...counts].map(([to, count]) => ({ from, field, to, documents: count, read: documents.length }))
}
