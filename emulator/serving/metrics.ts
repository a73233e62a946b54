/**
 * Collects metrics of a process in Prometheus format. Labels are route patterns, methods and states, never user data.
 */
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Backend } from '../core/context.js'
import { subscribeMeasure } from '../core/measures.js'
import type { RequestLine } from '../http/logging/log.js'

export interface Metrics {
  readonly contentType: string
  /** Counts a completed request. */
  request(line: RequestLine): void
  /** Renders the metrics of this process. */
  text(): Promise<string>
  close(): void
}

const requestBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const lagBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]
const roundBuckets = [0.005, 0.05, 0.5, 5, 60, 600]

/** The parts of the backend to measure. */
type Measured = Pick<Backend, 'db' | 'feeds' | 'longReads' | 'passwords'>

export function openMetrics(backend: Measured, version: string): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    ...{ registers, buckets: requestBuckets, labelNames: ['method', 'route', 'status'] },
    name: 'svc_http_request_duration_seconds',
    help: 'Time from the first header of a request to the end of the response, or to its headers for a stream.',
  })
  const lag = new Histogram({
    ...{ registers, buckets: lagBuckets },
    name: 'svc_changes_lag_seconds',
    help: 'Time from the write of a change to its delivery to subscribers of this process.',
  })
  const rounds = new Histogram({
    ...{ registers, buckets: roundBuckets, labelNames: ['name', 'outcome'] },
    name: 'svc_background_round_duration_seconds',
    help: 'Duration of background work.',
  })
  gauges(registry, backend)
  new Gauge({
    registers,
    name: 'svc_info',
    help: 'The running version.',
    labelNames: ['version'],
  }).set({ version }, 1)
  const unsubscribe = [
    subscribeMeasure('changes', ({ lagSeconds }) => lag.observe(lagSeconds)),
    subscribeMeasure('rounds', ({ name, seconds, isFailed }) =>
      rounds.observe({ name, outcome: isFailed ? 'failed' : 'done' }, seconds),
    ),
  ]
  return {
    contentType: registry.contentType,
    request: ({ method, route, status, milliseconds }) =>
      requests.observe({ method, route, status: String(status) }, milliseconds / 1_000),
    text: () => registry.metrics(),
    close() {
      for (const end of unsubscribe) end()
      registry.clear()
    },
  }
}

/** Gauges that are read when the metrics are scraped. */
function gauges(register: Registry, { db, feeds, longReads, passwords }: Measured): void {
  const registers = [register]
  new Gauge({
    ...{ registers, labelNames: ['state'] },
    name: 'svc_database_connections',
    help: 'Pool connections (open, idle), statements waiting for a connection, and long reads waiting for a slot.',
    collect() {
      const waiting_for_place = longReads.waiting()
      const all = { ...db.connections?.(), waiting_for_place }
      for (const [state, count] of Object.entries(all)) this.set({ state }, count)
    },
  })
  new Gauge({
    registers,
    name: 'svc_streams',
    help: 'Realtime connections with a subscription.',
    collect() {
      this.set(feeds.open().connections)
    },
  })
  new Gauge({
    registers,
    name: 'svc_subscriptions',
    help: 'Subscriptions to collections on realtime connections.',
    collect() {
      this.set(feeds.open().subscriptions)
    },
  })
  new Gauge({
    registers,
    name: 'svc_password_queue',
    help: 'Passwords waiting to be hashed or checked.',
    collect() {
      this.set(passwords.waiting())
    },
  })
}
