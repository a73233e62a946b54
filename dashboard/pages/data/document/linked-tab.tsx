/** Lists the documents that this one links to, and those that link to it. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { Client, Document } from '../../../../client/index.js'
import type { Json } from '../../../../client/protocol/model/json.js'
import type { Where } from '../../../../client/protocol/model/where.js'
import { useCollections } from '../../../frame/counts.js'
import { ignoreRefusal } from '../../../live/again.js'
import { Failure } from '../../../live/failure.js'
import { findLinkFields, formatName, type Linked, linkedIn } from '../../../parts/columns.js'
import { Empty, Skeleton } from '../../../parts/states.js'
import { useSession } from '../../../session/context.js'
import { formatListQuery } from '../query-state.js'

/** Each collection costs a request, so more would be slow. */
const maxCollections = 40
const maxIncoming = 20

interface Incoming {
  readonly collection: string
  readonly field: string
  readonly documents: readonly Document[]
  readonly total: number
}

export function LinkedTab({ collection, document }: { collection: string; document: Document }) {
  const { client } = useSession()
  const { data: collections } = useCollections()
  const outgoing = useQuery({
    queryKey: ['document', document.id, 'outgoing', document.version],
    queryFn: () => readOutgoing(client, collection, document),
  })
  const names = (collections ?? []).slice(0, maxCollections).map(({ name }) => name)
  const incoming = useQuery({
    queryKey: ['document', document.id, 'incoming', names.join(' ')],
    queryFn: async () => (await Promise.all(names.map((name) => readIncoming(client, name, document.id)))).flat(),
    enabled: collections !== undefined,
  })
  const error = outgoing.error ?? incoming.error
  const isRead = outgoing.data !== undefined && incoming.data !== undefined
  const leftOut = (collections?.length ?? 0) - names.length
  const [to, from] = [outgoing.data ?? [], incoming.data ?? []]
  const refetchBoth = () => {
    void outgoing.refetch()
    void incoming.refetch()
  }
  return (
    <div className="linked">
      {error ? <Failure error={error} retry={refetchBoth} /> : null}
      {!isRead && !error ? <Skeleton rows={4} /> : null}
      {isRead && to.length + from.length === 0 ? (
        <Empty title="Nothing is linked">A field that contains the id of a document links to it.</Empty>
      ) : null}
      {leftOut > 0 ? (
        <p className="padded dim">
          Only the first {maxCollections} collections were searched for links. {leftOut} were not.
        </p>
      ) : null}
      {to.length > 0 ? <h3>Links to</h3> : null}
      {to.map(([field, linked]) => (
        <Row key={field + linked.id} label={field} linked={linked} />
      ))}
      {from.length > 0 ? <h3>Linked from</h3> : null}
      {from.map(({ collection: other, field, documents, total }) => (
        <div key={`${other}.${field}`}>
          {documents.map((each) => (
            <Row key={each.id} label={`${other}.${field}`} linked={{ ...each, collection: other }} />
          ))}
          {total > documents.length ? (
            <Link className="link padded" href={formatListPath(other, linksBy(field, document.id))}>
              all {total}
            </Link>
          ) : null}
        </div>
      ))}
    </div>
  )
}

/** Filters documents whose field has this id. Uses a path, because field names may contain any characters. */
function linksBy(field: string, id: string): Where {
  return { all: [{ any: [{ path: [field], operator: 'eq', value: id }] }] }
}

function formatListPath(collection: string, where: Where): string {
  return `/data/${encodeURIComponent(collection)}?${formatListQuery({ where, sort: [], populate: [] })}`
}

function Row({ label, linked }: { label: string; linked: Linked }) {
  const { collection, email, id } = linked
  const href = email === undefined ? `/data/${encodeURIComponent(collection ?? '')}/${id}` : `/users/${id}`
  return (
    <Link className="linked-row" href={href}>
      <span className="mono dim cut">{label}</span>
      <bdi className="cut">{formatName(linked)}</bdi>
      <span className="mono dim">{email === undefined ? collection : 'user'}</span>
    </Link>
  )
}

async function readOutgoing(client: Client, collection: string, document: Document): Promise<[string, Linked][]> {
  const found = await Promise.all(
    findLinkFields([document]).map(async (fields) => {
      // If the document was deleted since, the pane shows that.
      const { data = {} } =
        (await client.collection(collection).get(document.id, { populate: fields }).catch(ignoreRefusal)) ?? {}
      return fields.flatMap((field) => linkedBy(field, (data as Document['data'])[field]))
    }),
  )
  return found.flat()
}

function linkedBy(field: string, value: Json | undefined): [string, Linked][] {
  return [value].flat().flatMap((each): [string, Linked][] => {
    const linked = linkedIn(each)
    return linked ? [[field, linked]] : []
  })
}

/** Finds documents of a collection that link to this one. Searches the link fields of its newest documents. */
async function readIncoming(client: Client, name: string, id: string): Promise<Incoming[]> {
  const documents = client.collection(name)
  const newest = await documents.list({ limit: 20, count: false }).catch(ignoreRefusal)
  const fields = findLinkFields((newest?.items ?? []) as Document[]).flat()
  const found = await Promise.all(
    fields.map(async (field) => {
      const page = await documents.list({ where: linksBy(field, id), limit: maxIncoming })
      return { collection: name, field, documents: page.items as readonly Document[], total: page.total ?? 0 }
    }),
  )
  return found.filter(({ total }) => total > 0)
}
