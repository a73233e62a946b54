/** Lists and manages the users of the project. */
import { useCallback, useDeferredValue, useState } from 'react'
import { useLocation, useParams } from 'wouter'
import type { AppUser } from '../../../client/index.js'
import { counted } from '../../../client/protocol/model/figures.js'
import { useCommand } from '../../frame/command-line.js'
import { Query } from '../../live/query.js'
import { usePages } from '../../live/use-pages.js'
import { Button } from '../../parts/button.js'
import { type Column, Grid } from '../../parts/grid.js'
import { Page } from '../../parts/layout.js'
import { Search } from '../../parts/search.js'
import { Empty } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import { useSession } from '../../session/context.js'
import { CreateUser } from './create-user.js'
import { UserPane } from './user-pane.js'

export function UsersPage() {
  const { owner } = useSession()
  const { id } = useParams<{ id?: string }>()
  const [, go] = useLocation()
  const [search, setSearch] = useState('')
  const [isCreating, setCreating] = useState(false)
  const wanted = useDeferredValue(search.trim())
  const users = usePages(['users', 'list', wanted], (page) =>
    owner.users.list({ ...page, ...(wanted === '' ? {} : { where: { email: { icontains: wanted } } }) }),
  )
  const close = useCallback(() => go('/users'), [go])
  useCommand(id === undefined ? 'svc users list' : `svc users get ${id}`)
  return (
    <Page
      title="Users"
      facts={users.total === undefined ? '' : describeCount(users.total ?? users.items.length)}
      actions={
        <>
          <Search label="Find by email" value={search} onChange={setSearch} />
          <Button look="main" data-key="new" onClick={() => setCreating(true)}>
            New user
          </Button>
        </>
      }
      pane={id === undefined ? undefined : <UserPane key={id} id={id} onClose={close} />}
    >
      <Query query={users}>
        {(found) =>
          found.length === 0 ? (
            <Empty
              title={wanted === '' ? 'No users yet' : 'No user matches'}
              command="svc users signup ada@example.com"
            >
              <p>Users sign up in your app, by password or through a login provider.</p>
            </Empty>
          ) : (
            <Grid
              label="Users"
              columns={columns}
              count={found.length}
              rowAt={(index) => found[index]}
              getId={(user) => user.id}
              selected={id}
              onRange={users.onRange}
              onOpen={(user) => go(`/users/${user.id}`)}
            />
          )
        }
      </Query>
      {isCreating ? (
        <CreateUser onClose={() => setCreating(false)} onCreated={(user) => go(`/users/${user.id}`)} />
      ) : null}
    </Page>
  )
}

function describeCount(total: number): string {
  return counted(total, 'user')
}

const columns: readonly Column<AppUser>[] = [
  {
    name: 'email',
    head: 'email',
    width: 'minmax(180px, 2fr)',
    narrowWidth: 'minmax(0, 1fr)',
    cell: ({ email }) => <bdi>{email}</bdi>,
  },
  {
    name: 'roles',
    head: 'roles',
    width: 'minmax(110px, 1fr)',
    narrowWidth: 'minmax(0, 0.5fr)',
    cell: ({ roles }) =>
      roles.length === 0 ? (
        <span className="dim">none</span>
      ) : (
        roles.map((role) => (
          <span key={role} className="tag">
            {role}
          </span>
        ))
      ),
  },
  {
    name: 'verified',
    head: 'verified',
    width: '100px',
    narrowWidth: '88px',
    cell: ({ emailVerified }) =>
      emailVerified ? <span className="tag good">verified</span> : <span className="tag warn">not yet</span>,
  },
  {
    name: 'login',
    head: 'logs in with',
    width: '120px',
    narrowWidth: null,
    cell: ({ oauthId }) => <span className="dim">{oauthId === null ? 'password' : 'provider'}</span>,
  },
  {
    name: 'created',
    head: 'created',
    width: '110px',
    narrowWidth: null,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]
