/** Lists recorded requests. */
import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { useLocation, useParams, useSearch } from 'wouter'
import type { RequestSummary } from '../../../client/protocol/control/requests.js'
import { shellWord } from '../../../client/snippets/shell.js'
import { useCommand } from '../../frame/command-line.js'
import { Query } from '../../live/query.js'
import { Button } from '../../parts/button.js'
import { type Column, Grid } from '../../parts/grid.js'
import { Page } from '../../parts/layout.js'
import { formatCaller, methodLook, statusLook } from '../../parts/request-looks.js'
import { Empty, NoMatch } from '../../parts/states.js'
import { clockTime } from '../../parts/time.js'
import { useSession } from '../../session/context.js'
import { RequestPane } from './request-pane.js'
import { type RequestFilter, useRequests } from './use-requests.js'

const statuses = [
  ['', 'any'],
  ['2xx', '2xx'],
  ['4xx', '4xx'],
  ['5xx', '5xx'],
  ['4xx,5xx', 'refused'],
] as const
const methods = ['', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export function RequestsPage() {
  const { id } = useParams<{ id?: string }>()
  const search = useSearch()
  const [, go] = useLocation()
  const asked = new URLSearchParams(search)
  const user = asked.get('user') ?? ''
  const [filter, setFilter] = useState(() => ({
    ...nothingChosen,
    ...{ method: asked.get('method') ?? '', path: asked.get('path') ?? '' },
  }))
  const [isPaused, setPaused] = useState(false)
  const query = useRequests({ ...filter, user }, isPaused)
  const { requests, isOn } = query
  const tail = search === '' ? '' : `?${search}`
  const listPath = id === undefined ? '/requests' : `/requests/${id}`
  const isFiltered = [filter.status, filter.method, filter.path, user].some((each) => each !== '')
  const showAll = () => {
    setFilter({ ...nothingChosen, isOwnShown: filter.isOwnShown })
    go(listPath)
  }
  const close = useCallback(() => go(`/requests${tail}`), [go, tail])
  useCommand(id === undefined ? formatCommand({ ...filter, user }) : `svc requests show ${id}`)
  return (
    <Page
      title="Requests"
      facts={`${requests.length} · newest first · ${isPaused ? 'paused' : 'live'}`}
      actions={
        <>
          <Filters filter={filter} onChange={setFilter} />
          <Button onClick={() => setPaused(!isPaused)}>{isPaused ? 'Resume' : 'Pause'}</Button>
        </>
      }
      strip={user === '' ? undefined : <UserFilter id={user} onRemove={() => go(listPath)} />}
      pane={
        id === undefined ? undefined : (
          <RequestPane key={id} id={id} onClose={close} onOpen={(next) => go(`/requests/${next}${tail}`)} />
        )
      }
    >
      <Query query={query}>
        {() => (
          <>
            {!isOn ? (
              <Empty title="Requests are not recorded" command="svc project set requestLog:=true">
                <p>The setting requestLog of this project is off.</p>
              </Empty>
            ) : null}
            {isOn && requests.length === 0 && isFiltered ? <NoMatch what="request" onAll={showAll} /> : null}
            {isOn && requests.length === 0 && !isFiltered ? (
              <Empty title="No requests yet" command="svc docs list posts">
                <p>
                  Requests from your app and the command line appear here. The emulator keeps the last 1,000 in memory.
                </p>
              </Empty>
            ) : null}
            {requests.length > 0 ? (
              <Grid
                label="Requests"
                columns={columns}
                count={requests.length}
                rowAt={(index) => requests[index]}
                getId={(request) => request.id}
                selected={id}
                onOpen={(request) => go(`/requests/${request.id}${tail}`)}
              />
            ) : null}
          </>
        )}
      </Query>
    </Page>
  )
}

/** Shows the user filter from the address. */
function UserFilter({ id, onRemove }: { id: string; onRemove: () => void }) {
  const { owner } = useSession()
  const { data } = useQuery({ queryKey: ['users', 'one', id], queryFn: () => owner.users.get(id) })
  return (
    <div className="strip">
      <span className="pill">
        <span className="pill-test">
          <span>user</span>
          <span className="op">is</span>
          <span className="value cut">{data?.email ?? id}</span>
        </span>
        <button type="button" onClick={onRemove} aria-label="Remove this filter">
          ×
        </button>
      </span>
    </div>
  )
}

type Chosen = Omit<RequestFilter, 'user'>

const nothingChosen: Chosen = { status: '', method: '', path: '', isOwnShown: false }

function Filters({ filter, onChange }: { filter: Chosen; onChange: (filter: Chosen) => void }) {
  return (
    <>
      <label className="wide-only check">
        <input
          type="checkbox"
          checked={filter.isOwnShown}
          onChange={({ target }) => onChange({ ...filter, isOwnShown: target.checked })}
        />
        dashboard's own
      </label>
      <select
        aria-label="Status"
        value={filter.status}
        onChange={({ target }) => onChange({ ...filter, status: target.value })}
      >
        {statuses.map(([value, label]) => (
          <option key={value} value={value}>
            status {label}
          </option>
        ))}
      </select>
      <select
        className="wide-only"
        aria-label="Method"
        value={filter.method}
        onChange={({ target }) => onChange({ ...filter, method: target.value })}
      >
        {methods.map((method) => (
          <option key={method} value={method}>
            {method === '' ? 'any method' : method}
          </option>
        ))}
      </select>
      <input
        className="input mono wide-only"
        data-key="filter"
        placeholder="path starts with"
        aria-label="Path starts with"
        value={filter.path}
        onChange={({ target }) => onChange({ ...filter, path: target.value })}
      />
    </>
  )
}

function formatCommand({ status, method, path, user }: RequestFilter): string {
  const flags = Object.entries({ status, method, path, user }).filter(([, value]) => value !== '')
  return ['svc requests tail', ...flags.map(([name, value]) => `--${name} ${shellWord(value)}`)].join(' ')
}

/** Duration that fills the bar. */
const widestMilliseconds = 100

const columns: readonly Column<RequestSummary>[] = [
  {
    name: 'at',
    head: 'at',
    width: '100px',
    narrowWidth: '92px',
    cell: ({ at }) => <span className="mono dim">{clockTime(at)}</span>,
  },
  {
    name: 'method',
    head: 'method',
    width: '76px',
    narrowWidth: '68px',
    cell: ({ method }) => <span className={methodLook(method)}>{method}</span>,
  },
  {
    name: 'path',
    head: 'path',
    width: 'minmax(160px, 1fr)',
    narrowWidth: 'minmax(0, 1fr)',
    cell: ({ path, replayOf }) => (
      <span className="mono">
        {replayOf === null ? null : <span className="tag">replay</span>} {path}
      </span>
    ),
  },
  {
    name: 'status',
    head: 'status',
    width: '72px',
    narrowWidth: '64px',
    cell: ({ status, state }) => <span className={statusLook(status)}>{status ?? state}</span>,
  },
  {
    name: 'who',
    head: 'who',
    width: '150px',
    narrowWidth: null,
    cell: ({ caller }) => <span className="dim">{formatCaller(caller)}</span>,
  },
  {
    name: 'ms',
    head: 'ms',
    width: '72px',
    narrowWidth: null,
    isNumber: true,
    cell: ({ milliseconds, state }) => (state === 'open' ? 'open' : milliseconds.toFixed(milliseconds < 100 ? 1 : 0)),
  },
  {
    name: 'time',
    head: '',
    width: '110px',
    narrowWidth: null,
    cell: ({ milliseconds }) => (
      <span className="waterfall">
        <i style={{ width: `${Math.min(100, (milliseconds / widestMilliseconds) * 100)}%` }} />
      </span>
    ),
  },
]
