/** Renders an event as one line. */
import { Link } from 'wouter'
import type { EmulatorEvent } from '../../client/protocol/model/events/emulator-event.js'
import { formatCount } from '../../client/protocol/model/figures.js'
import { clockTime } from './time.js'

const looks: Readonly<Record<string, string>> = {
  created: 'good',
  uploaded: 'good',
  succeeded: 'good',
  opened: 'good',
  sent: 'good',
  updated: 'warn',
  changed: 'warn',
  missed: 'warn',
  moved: 'warn',
  deleted: 'bad',
  removed: 'bad',
  failed: 'bad',
  refused: 'bad',
}

interface Shown {
  readonly text: string
  readonly href?: string
}

/** Describes an event, with the page that shows its subject. */
function describeEvent(event: EmulatorEvent): Shown {
  if ('document' in event) return describeDocument(event.document)
  if ('collection' in event)
    return { text: event.collection.name, href: `/data/${encodeURIComponent(event.collection.name)}` }
  if ('user' in event) {
    const { id, email, what } = event.user
    return { text: [email ?? id, ...what].join(' '), href: `/users/${id}` }
  }
  if ('login' in event) {
    const { email, user, why } = event.login
    return { text: [email ?? user ?? 'nobody', why ?? ''].join(' '), ...(user ? { href: `/users/${user}` } : {}) }
  }
  if ('file' in event) return { text: event.file.name ?? event.file.id, href: '/files' }
  if ('mail' in event) return { text: `“${event.mail.subject}” to ${event.mail.to}`, href: `/mail/${event.mail.id}` }
  if ('request' in event) {
    const { id, method, path, status } = event.request
    return { text: `${status ?? ''} ${method} ${path}`, href: `/requests/${id}` }
  }
  if ('connection' in event) {
    const { transport, who, collection, why } = event.connection
    return { text: [transport, who, collection ?? '', why ?? ''].join(' '), href: '/realtime' }
  }
  if ('fault' in event) return { text: `${event.fault.kind} ${event.fault.path ?? ''}`, href: '/simulate' }
  if ('clock' in event) return { text: event.clock.now, href: '/simulate' }
  if ('snapshot' in event) return { text: event.snapshot.name, href: '/snapshots' }
  if ('stream' in event) return { text: describeGap(event.stream.missed) }
  return { text: event.project.what.join(', '), href: '/settings' }
}

function describeDocument({
  collection,
  id,
  data,
  before,
}: Extract<EmulatorEvent, { document: object }>['document']): Shown {
  const changed = Object.entries(before ?? {})
    .slice(0, 3)
    .map(([field, value]) => `${field} ${brief(value)} to ${brief(own(data, field))}`)
  const name = ['title', 'name', 'subject', 'text']
    .map((field) => data?.[field])
    .find((value) => typeof value === 'string')
  const text = changed.length > 0 ? changed.join(', ') : name === undefined ? '' : `“${String(name).slice(0, 80)}”`
  return { text: `${collection} …${id.slice(-7)} ${text}`, href: `/data/${encodeURIComponent(collection)}/${id}` }
}

/** Reads own properties only, because a field may be named `constructor`. */
function own(data: { readonly [field: string]: unknown } | null | undefined, field: string): unknown {
  return data && Object.hasOwn(data, field) ? data[field] : undefined
}

function brief(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, 40)
}

/** Describes a gap in the list. */
function describeGap(missed: number | null): string {
  return missed === null
    ? 'events may be missing here, because the tab was hidden or the emulator was down'
    : `${formatCount(missed)} events are missing here, because too many arrived at once`
}

export function EventLine({ event }: { event: EmulatorEvent }) {
  const [group = '', what = ''] = event.kind.split('.')
  const { text, href } = describeEvent(event)
  const isStreamEvent = group === 'stream'
  return (
    <li className="event mono">
      <time className="dim" dateTime={event.at}>
        {clockTime(event.at)}
      </time>
      <span className={looks[what] ?? 'dim'}>{group === 'document' || isStreamEvent ? what : `${group} ${what}`}</span>
      <bdi className={isStreamEvent ? 'dim' : 'cut'}>{href === undefined ? text : <Link href={href}>{text}</Link>}</bdi>
    </li>
  )
}
