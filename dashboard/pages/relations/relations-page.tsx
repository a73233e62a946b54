/** Shows links between collections as a graph or a list. */

import { useState } from 'react'
import { useLocation } from 'wouter'
import { counted } from '../../../client/protocol/model/figures.js'
import { useCommand } from '../../frame/command-line.js'
import { Query } from '../../live/query.js'
import { Button } from '../../parts/button.js'
import { type Column, Grid } from '../../parts/grid.js'
import { Page } from '../../parts/layout.js'
import { Empty } from '../../parts/states.js'
import { formatLabel, formatPagePath, Graph } from './graph.js'
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
      facts={data ? describeRelations(data) : ''}
      actions={
        <>
          {isLinked ? (
            <Button onClick={() => setList(!isList)}>{isList ? 'Show as a graph' : 'Show as a list'}</Button>
          ) : null}
          <Button disabled={isFetching} onClick={() => void refetch()}>
            Refresh
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

/** Shows the graph, and a list of the links for screen readers. */
function Drawn({ relations }: { relations: Relations }) {
  return (
    <>
      <Graph relations={relations} />
      <ul className="hidden" aria-label="Links">
        {relations.links.map((link) => (
          <li key={`${link.from} ${link.field} ${link.to}`}>
            {link.from}.{link.field} links to {formatLabel(link.to)}
          </li>
        ))}
      </ul>
    </>
  )
}

function describeRelations({ collections, links, leftOut }: Relations): string {
  const rest = leftOut === 0 ? '' : ` · ${leftOut} more collections not read`
  const count = collections.filter(({ name }) => name !== usersName).length
  return `${counted(count, 'collection')} · ${counted(links.length, 'link')}, from the newest 20 documents of each${rest}`
}

function NothingLinked({ isEmpty }: { isEmpty: boolean }) {
  return (
    <Empty
      title={isEmpty ? 'No collections yet' : 'Nothing is linked'}
      command={isEmpty ? 'svc collections create posts' : 'svc docs create comments text=Hello post=<id>'}
    >
      <p>
        A link is a field that contains the id of a document or user, or a list of ids. You declare nothing:{' '}
        <code className="mono">populate</code> finds what an id belongs to.
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
  { name: 'to', head: 'links to', width: 'minmax(90px, 1fr)', cell: ({ to }) => formatLabel(to) },
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
      getId={({ from, field, to }) => JSON.stringify([from, field, to])}
      isOpenedByEnter
      onOpen={({ from }) => go(formatPagePath(from))}
    />
  )
}
