/** Lists the collections of the project. */
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { useLocation } from 'wouter'
import type { Collection } from '../../../client/index.js'
import { fieldRuleKinds, permissionKinds } from '../../../client/protocol/model/collection.js'
import { counted, formatCount } from '../../../client/protocol/model/figures.js'
import { useCommand } from '../../frame/command-line.js'
import { useCollections } from '../../frame/counts.js'
import { Query } from '../../live/query.js'
import { Button } from '../../parts/button.js'
import { type Column, Grid } from '../../parts/grid.js'
import { Page } from '../../parts/layout.js'
import { Search } from '../../parts/search.js'
import { Empty, NoMatch } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import { useSession } from '../../session/context.js'
import { CreateCollection } from './collection-dialogs.js'

export function CollectionsList() {
  const collections = useCollections()
  const { data } = collections
  const [, go] = useLocation()
  const [search, setSearch] = useState('')
  const [isCreating, setCreating] = useState(false)
  const wanted = useDeferredValue(search.trim().toLowerCase())
  useCommand('svc collections list')
  const shown = (data ?? []).filter(({ name }) => name.toLowerCase().includes(wanted))
  return (
    <Page
      title="Data"
      facts={data ? counted(data.length, 'collection') : ''}
      actions={
        <>
          <Search label="Find a collection" value={search} onChange={setSearch} />
          <Button look="main" data-key="new" onClick={() => setCreating(true)}>
            New collection
          </Button>
        </>
      }
    >
      <Query query={collections}>
        {(all) => {
          if (all.length === 0)
            return (
              <Empty title="No collections yet" command="svc collections create posts">
                <p>
                  A collection contains JSON documents. Your app, the command line and this page share the same data.
                </p>
                <Button look="main" onClick={() => setCreating(true)}>
                  New collection
                </Button>
              </Empty>
            )
          if (shown.length === 0) return <NoMatch what="collection" onAll={() => setSearch('')} />
          return (
            <Grid
              label="Collections"
              columns={columns}
              count={shown.length}
              rowAt={(index) => shown[index]}
              getId={({ id }) => id}
              isOpenedByEnter
              onOpen={({ name }) => go(`/data/${encodeURIComponent(name)}`)}
            />
          )
        }}
      </Query>
      {isCreating ? (
        <CreateCollection
          onClose={() => setCreating(false)}
          onCreated={(name) => go(`/data/${encodeURIComponent(name)}`)}
        />
      ) : null}
    </Page>
  )
}

const columns: readonly Column<Collection>[] = [
  {
    name: 'name',
    head: 'name',
    width: 'minmax(160px, 1fr)',
    narrowWidth: 'minmax(0, 1fr)',
    cell: ({ name }) => <b className="row-name">{name}</b>,
  },
  {
    name: 'documents',
    head: 'documents',
    width: '110px',
    narrowWidth: '100px',
    isNumber: true,
    cell: ({ name }) => <Count name={name} />,
  },
  {
    name: 'schema',
    head: 'schema',
    width: 'minmax(160px, 2fr)',
    narrowWidth: null,
    cell: ({ schema }) => describeSchema(schema),
  },
  {
    name: 'permissions',
    head: 'permissions',
    width: 'minmax(140px, 1fr)',
    narrowWidth: null,
    cell: ({ permissions }) => describePermissions(permissions),
  },
  {
    name: 'created',
    head: 'created',
    width: '110px',
    narrowWidth: '92px',
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

/** Counts documents only while the row is in view. */
function Count({ name }: { name: string }) {
  const { owner } = useSession()
  const { data } = useQuery({
    queryKey: ['collections', 'count', name],
    queryFn: async () => (await owner.collections.get(name)).documentCount ?? null,
  })
  return <>{data == null ? '…' : formatCount(data)}</>
}

function describeSchema(schema: Collection['schema']) {
  const fields = Object.entries(schema)
  if (fields.length === 0) return <i className="dim">none: any document is valid</i>
  return <span className="mono">{fields.map(([name, { required }]) => (required ? `${name}*` : name)).join(', ')}</span>
}

function describePermissions(permissions: Collection['permissions']) {
  const set = permissionKinds.filter((kind) => (permissions?.[kind]?.length ?? 0) > 0)
  const rules = fieldRuleKinds.map((rule) => [rule, Object.keys(permissions?.[rule] ?? {})] as const)
  const words = [
    ...set.map((kind) => `${kind}: ${permissions?.[kind]?.join(' ')}`),
    ...rules.flatMap(([rule, fields]) => (fields.length > 0 ? [`${rule}: ${fields.join(' ')}`] : [])),
  ]
  if (words.length === 0) return <span className="dim">open to any key</span>
  return <span className="mono">{words.join(', ')}</span>
}
