/** Which collections lead to which: as a graph, and as a list. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useCommand } from '../../frame/command-line.js'
import { Query } from '../../live/query.js'
import { Button } from '../../parts/button.js'
import { type Column, Grid } from '../../parts/grid.js'
import { Page } from '../../parts/layout.js'
import { Empty } from '../../parts/states.js'
import { Graph, placeOf, wordsFor } from './graph.js'
import { type Link, type Relations, useRelations, usersName } from './use-relations.js'

export function RelationsPage() {
  const query = useRelations()
  const { data, isFetching, refetch } = query
  // A graph does not fit on a narrow screen.
  const [isList, setList] = useState(() => innerWidth < 720)
  useCommand('svc collections list')
  const isLinked = data !== undefined && data.links.length > 0
  return (
    <Page
      title="Relations"
      facts={data ? factsOf(data) : ''}
      actions={
        <>
          {isLinked ? (
            <Button onClick={() => setList(!isList)}>{isList ? 'Show as a graph' : 'Show as a list'}</Button>
          ) : null}
          <Button disabled={isFetching} onClick={() => void refetch()}>
            Read again
          </Button>
        </>
      }
    >
      <Query query={query}>
        {(found) => {
          if (found.links.length === 0) return <NothingLinked isEmpty={found.collections.length === 0} />
          return isList ? <List links={found.links} /> : <Drawn relations={found} />
        }}
      </Query>
    </Page>
  )
}

/** The graph, and the same in words for those who do not see it. */
function Drawn({ relations }: { relations: Relations }) {
  return (
    <>
      <Graph relations={relations} />
      <ul className="hidden" aria-label="Links">
        {relations.links.map((link) => (
          <li key={`${link.from} ${link.field} ${link.to}`}>
            {link.from}.{link.field} leads to {wordsFor(link.to)}
          </li>
        ))}
      </ul>
    </>
  )
}

function factsOf({ collections, links, leftOut }: Relations): string {
  const rest = leftOut === 0 ? '' : ` · ${leftOut} more collections are not looked at`
  const count = collections.filter(({ name }) => name !== usersName).length
  return `${count} ${count === 1 ? 'collection' : 'collections'} · ${links.length} ${links.length === 1 ? 'link' : 'links'}, by the newest 20 documents of each${rest}`
}

function NothingLinked({ isEmpty }: { isEmpty: boolean }) {
  return (
    <Empty
      title={isEmpty ? 'No collections yet' : 'Nothing is linked'}
      command={isEmpty ? 'svc collections create posts' : 'svc docs create comments text=Hello post=<id>'}
    >
      <p>
        A link is a field that holds the id of a document or of a user, or a list of ids. Nothing has to be declared:
        what an id leads to is found when it is asked for with <code className="mono">populate</code>.
      </p>
    </Empty>
  )
}

const columns: readonly Column<Link>[] = [
  {
    name: 'from',
    head: 'collection',
    width: 'minmax(90px, 1fr)',
    cell: ({ from }) => <b className="row-name">{from}</b>,
  },
  {
    name: 'field',
    head: 'field',
    width: 'minmax(90px, 1fr)',
    cell: ({ field }) => <bdi className="mono">{field}</bdi>,
  },
  { name: 'to', head: 'leads to', width: 'minmax(90px, 1fr)', cell: ({ to }) => wordsFor(to) },
  {
    name: 'documents',
    head: 'used by',
    width: '96px',
    isNumber: true,
    cell: ({ documents, read }) => `${documents} of ${read}`,
  },
]

function List({ links }: { links: readonly Link[] }) {
  const [, go] = useLocation()
  return (
    <Grid
      label="Links"
      columns={columns}
      count={links.length}
      rowAt={(index) => links[index]}
      idOf={({ from, field, to }) => JSON.stringify([from, field, to])}
      isOpenedByEnter
      onOpen={({ from }) => go(placeOf(from))}
    />
  )
}
