/** Shows addresses and keys, the first steps, the last events, and the health of the emulator. */
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { counted, formatBytes } from '../../../client/protocol/model/figures.js'
import { useCommand } from '../../frame/command-line.js'
import { type Info, isInMemory, useCounts, useInfo } from '../../frame/counts.js'
import { useEvents } from '../../live/context.js'
import { Failure } from '../../live/failure.js'
import { Query } from '../../live/query.js'
import { Button, Copy } from '../../parts/button.js'
import { EventLine } from '../../parts/event-line.js'
import { Facts } from '../../parts/layout.js'
import { Time } from '../../parts/time.js'
import { useSession } from '../../session/context.js'
import { FirstSteps } from './first-steps.js'

const maxEvents = 8

export function HomePage() {
  const { project } = useSession()
  const { data: info } = useInfo()
  const { counts, error } = useCounts()
  const isUnread = Boolean(error)
  const [, go] = useLocation()
  useCommand('svc status')
  return (
    <section className="home" aria-label="Home">
      <div className="hero">
        <div className="grow">
          <h1>Project {project.name}</h1>
          <p>
            {plural(counts.collections, 'collection', isUnread)}, {plural(counts.users, 'user', isUnread)},{' '}
            {plural(counts.files, 'file', isUnread)}. {info ? <DataLocation database={info.database} /> : null}
          </p>
          {error ? <Failure error={error} /> : null}
        </div>
        <Button onClick={() => go('/snapshots')}>Snapshots</Button>
        <Button look="main" onClick={() => go('/data')}>
          Open the data
        </Button>
      </div>
      <Addresses />
      <FirstSteps />
      <LastEvents />
      <Health />
    </section>
  )
}

function DataLocation({ database }: Pick<Info, 'database'>) {
  const { dataDir, servers } = database
  if (isInMemory(database)) return <>Data is in memory only and lost when the emulator stops.</>
  if (dataDir === null) {
    return (
      <>
        Data is saved in <code className="mono">{servers.join(', ')}</code>.
      </>
    )
  }
  return (
    <>
      Data is saved in <code className="mono">{dataDir}</code>.
    </>
  )
}

function plural(count: number | undefined, word: string, isUnread: boolean): string {
  if (count === undefined) return isUnread ? `${word}s: not loaded` : `… ${word}s`
  return `${counted(count, word)}`
}

const frameworks = {
  plain: ['SVC_URL', 'SVC_API_KEY'],
  Vite: ['VITE_SVC_URL', 'VITE_SVC_API_KEY'],
  Next: ['NEXT_PUBLIC_SVC_URL', 'NEXT_PUBLIC_SVC_API_KEY'],
  Expo: ['EXPO_PUBLIC_SVC_URL', 'EXPO_PUBLIC_SVC_API_KEY'],
} as const

function Addresses() {
  const { url, publicKey, ownerKey, info, hereUrl } = useSession()
  const [isShown, setShown] = useState(false)
  const files = hereUrl(info.addresses.storageUrl)
  const realtime = hereUrl(`${info.addresses.wsUrl}/realtime`)
  return (
    <article className="card">
      <h2>
        Addresses
        <span className="env">
          .env for{' '}
          {Object.entries(frameworks).map(([name, [urlName, keyName]]) => (
            <Copy key={name} label={name} text={`${urlName}=${url}\n${keyName}=${publicKey}\n`} />
          ))}
        </span>
      </h2>
      <Facts
        rows={[
          ['API', url, <Copy key="copy" text={url} />],
          ['Realtime', realtime, <Copy key="copy" text={realtime} />],
          ['Key', publicKey, <Copy key="copy" text={publicKey} />],
          [
            'Secret key',
            isShown ? ownerKey.key : '••••••••••••',
            <span key="secret" className="actions">
              <button type="button" className="link" onClick={() => setShown(!isShown)}>
                {isShown ? 'hide' : 'reveal'}
              </button>{' '}
              <Copy text={ownerKey.key} />
            </span>,
          ],
          ['Files', files, <Copy key="copy" text={files} />],
        ]}
      />
    </article>
  )
}

function LastEvents() {
  const events = useEvents()
  return (
    <article className="card">
      <h2>
        Last events
        <Link className="link" href="/realtime">
          all
        </Link>
      </h2>
      {events.length === 0 ? <p className="padded dim">No events yet. Try svc docs create posts title=Hello</p> : null}
      <ul>
        {events.slice(0, maxEvents).map((event) => (
          <EventLine key={event.id} event={event} />
        ))}
      </ul>
    </article>
  )
}

/** Every commit is saved before its answer. Whether it survives a power failure depends on the engine. */
function Saved({ database }: Pick<Info, 'database'>) {
  const { isDurable, savedAt } = database
  if (isInMemory(database)) return <>in memory only</>
  return (
    <>
      {savedAt === null ? 'with each commit' : <Time at={savedAt} isMachineTime />}
      {isDurable ? ' · survives a power failure' : ' · survives a crash, but not a power failure'}
    </>
  )
}

function Health() {
  return (
    <article className="card">
      <h2>Health</h2>
      <Query query={useInfo()} loading={null}>
        {(info) => <HealthFacts info={info} />}
      </Query>
    </article>
  )
}

function HealthFacts({ info }: { info: Info }) {
  const { database, disk, streams, limits, hashing, version } = info
  const limit = limits.rateLimit === 'off' ? 'off' : 'on'
  const isOnServer = database.servers.length > 0
  const withoutFolder = isOnServer ? 'on the server' : 'not used'
  return (
    <Facts
      rows={[
        ['Database', `PostgreSQL ${database.version.split(' ')[0]} · ${formatBytes(database.bytes)}`],
        ...(isOnServer ? [['Server', database.servers.join(', ')] as const] : []),
        ['Saved', <Saved key="saved" database={database} />],
        ['Streams', `${streams.connections} open · ${counted(streams.subscriptions, 'subscription')}`],
        ['Disk', disk === null ? withoutFolder : `${formatBytes(disk.freeBytes)} free`],
        [
          'Limits',
          `rate limit ${limit} · tier ${limits.tier}`,
          <Link key="simulate" className="link" href="/simulate">
            simulate
          </Link>,
        ],
        ['Version', `svc ${version} · ${hashing.library}`],
      ]}
    />
  )
}
