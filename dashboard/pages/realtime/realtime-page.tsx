/** Shows realtime connections with their subscriptions and lag, and live events. */
import { useQueryClient } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import type { ConnectionRecord } from '../../../client/protocol/control/connections.js'
import { eventGroups } from '../../../client/protocol/model/events/emulator-event.js'
import { counted, formatBytes } from '../../../client/protocol/model/figures.js'
import { useCommand } from '../../frame/command-line.js'
import { useConnections } from '../../frame/counts.js'
import { useAction } from '../../frame/undo.js'
import { useEvents } from '../../live/context.js'
import { Query } from '../../live/query.js'
import { Button } from '../../parts/button.js'
import { EventLine } from '../../parts/event-line.js'
import { Page } from '../../parts/layout.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import { useSession } from '../../session/context.js'
import { SendEvent } from './send-event.js'

const maxShown = 200

export function RealtimePage() {
  const connections = useConnections()
  const { data } = connections
  const events = useDeferredValue(useEvents())
  const [group, setGroup] = useState('')
  const [frozen, setFrozen] = useState<typeof events>()
  const [isSending, setSending] = useState(false)
  useCommand(group === '' ? 'svc tail --all' : `svc tail --all --only ${group}`)
  const shown = (frozen ?? events)
    .filter(({ kind }) => group === '' || kind.startsWith(`${group}.`) || kind === 'stream.missed')
    .slice(0, maxShown)
  return (
    <Page
      title="Realtime"
      facts={data ? `${counted(data.length, 'connection')} · events ${frozen ? 'paused' : 'live'}` : ''}
      actions={
        <>
          <select aria-label="Event group" value={group} onChange={({ target }) => setGroup(target.value)}>
            <option value="">all events</option>
            {Object.keys(eventGroups).map((name) => (
              <option key={name} value={name}>
                {name} events
              </option>
            ))}
          </select>
          <Button onClick={() => setFrozen(frozen ? undefined : events)}>{frozen ? 'Resume' : 'Pause'}</Button>
          <Button look="main" data-key="new" onClick={() => setSending(true)}>
            Send an event
          </Button>
        </>
      }
    >
      <h2 className="section">Connections</h2>
      <Query query={connections} loading={<Skeleton rows={3} />}>
        {(found) =>
          found.length === 0 ? (
            <p className="padded dim">
              No subscribers yet. In your app, call svc.collection('posts').subscribe(). In a terminal, run svc tail
              posts.
            </p>
          ) : (
            <ul className="connections">
              {found.map((connection) => (
                <Connection key={connection.id} connection={connection} />
              ))}
            </ul>
          )
        }
      </Query>
      <h2 className="section">Events</h2>
      {shown.length === 0 ? (
        <Empty title="No events yet" command="svc docs create posts title=Hello" />
      ) : (
        <ul>
          {shown.map((event) => (
            <EventLine key={event.id} event={event} />
          ))}
        </ul>
      )}
      {isSending ? <SendEvent onClose={() => setSending(false)} /> : null}
    </Page>
  )
}

function Connection({ connection }: { connection: ConnectionRecord }) {
  const { control } = useSession()
  const queries = useQueryClient()
  const [isBusy, run] = useAction()
  const { id, transport, who, email, subscriptions, openedAt, bytesSent, waitingBytes } = connection
  const close = () =>
    run(async () => {
      await control.connections.close({ connection: id })
      await queries.invalidateQueries({ queryKey: ['connections'] })
    })
  return (
    <li>
      <div className="connection-head">
        <span className="plum mono">{transport === 'websocket' ? 'WS' : 'SSE'}</span>
        <b>{email ?? who}</b>
        <Time at={openedAt} isMachineTime />
        <span className="mono dim grow">
          {formatBytes(bytesSent)} sent{waitingBytes > 0 ? `, ${formatBytes(waitingBytes)} waiting to be sent` : ''}
        </span>
        <Button disabled={isBusy} onClick={close}>
          Close
        </Button>
      </div>
      {subscriptions.map(({ collection, filters, isLive, lag, position }) => (
        <div key={`${collection} ${JSON.stringify(filters)}`} className="subscription mono">
          <span>{collection}</span>
          <span className="dim cut grow">
            {Object.keys(filters).length === 0 ? 'all changes' : JSON.stringify(filters)}
          </span>
          {isLive ? <span className="tag">live</span> : null}
          <span className="dim">at {position}</span>
          <span className={lag > 0 ? 'warn' : 'good'}>{lag} behind</span>
        </div>
      ))}
    </li>
  )
}
