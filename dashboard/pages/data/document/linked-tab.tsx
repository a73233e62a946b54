/** Documents that this one leads to, and those that lead to it. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { Client, Document } from '../../../../client/index.js'
import type { Json } from '../../../../client/protocol/model/json.js'
import type { Where } from '../../../../client/protocol/model/where.js'
import { useCollections } from '../../../frame/counts.js'
import { unlessRefused } from '../../../live/again.js'
import { Failure } from '../../../live/failure.js'
import { type Linked, linkedIn, linkFieldsOf, nameOf } from '../../../parts/columns.js'
import { Empty, Skeleton } from '../../../parts/states.js'
import { useSession } from '../../../session/context.js'
import { formatAsked } from '../query-state.js'

/** Each costs one request; more of them would be slow. */
const mostCollections = 40
const mostIncoming = 20

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
    queryFn: () => outgoingOf(client, collection, document),
  })
  const names = (collections ?? []).slice(0, mostCollections).map(({ name }) => name)
  const incoming = useQuery({
    queryKey: ['document', document.id, 'incoming', names.join(' ')],
    queryFn: async () => (await Promise.all(names.map((name) => incomingOf(client, name, document.id)))).flat(),
    enabled: collections !== undefined,
  })
  const error = outgoing.error ?? incoming.error
  const isRead = outgoing.data !== undefined && incoming.data !== undefined
  const leftOut = (collections?.length ?? 0) - names.length
  const [to, from] = [outgoing.data ?? [], incoming.data ?? []]
  const readAgain = () => {
    void outgoing.refetch()
    void incoming.refetch()
  }
  return (
    <div className="linked">
      {error ? <Failure error={error} retry={readAgain} /> : null}
      {!isRead && !error ? <Skeleton rows={4} /> : null}
      {isRead && to.length + from.length === 0 ? (
        <Empty title="Nothing is linked">A field that holds the id of a document links to it.</Empty>
      ) : null}
      {leftOut > 0 ? (
        <p className="padded dim">
          {leftOut} collections beyond the first {mostCollections} are not asked whether they link here.
        </p>
      ) : null}
      {to.length > 0 ? <h3>Links to</h3> : null}
      {to.map(([field, linked]) => (
        <Row key={field + linked.id} words={field} linked={linked} />
      ))}
      {from.length > 0 ? <h3>Linked from</h3> : null}
      {from.map(({ collection: other, field, documents, total }) => (
        <div key={`${other}.${field}`}>
          {documents.map((each) => (
            <Row key={each.id} words={`${other}.${field}`} linked={{ ...each, collection: other }} />
          ))}
          {total > documents.length ? (
            <Link className="link padded" href={placeOfAll(other, linksBy(field, document.id))}>
              all {total}
            </Link>
          ) : null}
        </div>
      ))}
    </div>
  )
}

/** Of the documents whose field is that id, whatever characters the name of the field has. */
function linksBy(field: string, id: string): Where {
  return { all: [{ any: [{ path: [field], operator: 'eq', value: id }] }] }
}

function placeOfAll(collection: string, where: Where): string {
  return `/data/${encodeURIComponent(collection)}?${formatAsked({ where, sort: undefined, populate: [] })}`
}

function Row({ words, linked }: { words: string; linked: Linked }) {
  const { collection, email, id } = linked
  const place = email === undefined ? `/data/${encodeURIComponent(collection ?? '')}/${id}` : `/users/${id}`
  return (
    <Link className="linked-row" href={place}>
      <span className="mono dim cut">{words}</span>
      <bdi className="cut">{nameOf(linked)}</bdi>
      <span className="mono dim">{email === undefined ? collection : 'user'}</span>
    </Link>
  )
}

async function outgoingOf(client: Client, collection: string, document: Document): Promise<[string, Linked][]> {
  const found = await Promise.all(
    linkFieldsOf([document]).map(async (fields) => {
      // Of a document that was deleted meanwhile the pane says so.
      const { data = {} } =
        (await client.collection(collection).get(document.id, { populate: fields }).catch(unlessRefused)) ?? {}
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

/** Fields of a collection that hold ids, by its newest documents, asked for this one. */
async function incomingOf(client: Client, name: string, id: string): Promise<Incoming[]> {
  const documents = client.collection(name)
  const newest = await documents.list({ limit: 20, count: false }).catch(unlessRefused)
  const fields = linkFieldsOf((newest?.items ?? []) as Document[]).flat()
  const found = await Promise.all(
    fields.map(async (field) => {
      const page = await documents.list({ where: linksBy(field, id), limit: mostIncoming })
      return { collection: name, field, documents: page.items as readonly Document[], total: page.total ?? 0 }
    }),
  )
  return found.filter(({ total }) => total > 0)
}
