/** The figures of all workers, added up in the primary. */
import type { Worker } from 'node:cluster'
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client'
import type { FromWorker, ToWorker } from './messages.js'

/** Why a worker was replaced. */
export type RestartReason = 'exit' | 'hung' | 'signal' | 'not started'

type Figures = Extract<FromWorker, { kind: 'figures' }>

export interface ClusterMetrics {
  restarted(reason: RestartReason): void
  /** What a worker has answered. */
  received(worker: Worker, figures: Figures): void
  /** One has ended: what it has counted stays counted. */
  ended(worker: Worker): void
  /** The figures of these together, and of those that have ended. @throws if none of them answers, nor ever has */
  text(workers: readonly Worker[]): Promise<string>
}

const mostMilliseconds = 3_000

/** @param count how many workers there should be */
export function openClusterMetrics(count: number): ClusterMetrics {
  const registry = new Registry()
  const registers = [registry]
  const restarts = new Counter({
    ...{ registers, labelNames: ['reason'] },
    name: 'svc_worker_restarts_total',
    help: 'Workers that were replaced: they hung, were ended by a signal, exited, or did not start.',
  })
  const missing = new Gauge({
    registers,
    name: 'svc_workers_missing',
    help: 'Workers that did not answer, whose figures are those of the last time, or are not there yet.',
  })
  const reasons: readonly RestartReason[] = ['exit', 'hung', 'signal', 'not started']
  // What has not happened is 0, so that the first time is an increase.
  for (const reason of reasons) restarts.inc({ reason }, 0)

  let lastId = 0
  /** Left out, counters would fall and rise again, which `rate()` takes for a restart and counts twice. */
  const known = new Map<Worker, readonly object[]>()
  const ended = new WeakSet<Worker>()
  /** What those have counted that have ended, as far as they were asked. */
  let former: readonly object[] = []
  const waiting = new Map<string, () => void>()
  const nameOf = (worker: Worker, id: number) => `${worker.id} ${id}`

  /** Whether it has answered. */
  function ask(worker: Worker): Promise<boolean> {
    const id = ++lastId
    const name = nameOf(worker, id)
    return new Promise((resolve) => {
      const settle = (hasAnswered: boolean) => {
        clearTimeout(timer)
        waiting.delete(name)
        resolve(hasAnswered)
      }
      const timer = setTimeout(settle, mostMilliseconds, false)
      waiting.set(name, () => settle(true))
      const asking: ToWorker = { kind: 'figures', id }
      if (worker.isConnected()) worker.send(asking, undefined, () => undefined)
      else settle(false)
    })
  }

  return {
    restarted: (reason) => restarts.inc({ reason }),
    received(worker, figures) {
      // What comes in late is among what the others count already, or was not shown yet.
      if (!ended.has(worker)) known.set(worker, figures.figures)
      waiting.get(nameOf(worker, figures.id))?.()
    },
    ended(worker) {
      const last = known.get(worker)
      ended.add(worker)
      known.delete(worker)
      if (!last) return
      former = AggregatorRegistry.aggregate([former, last.filter(isCounted)]).getMetricsAsArray()
    },
    async text(workers) {
      const answered = await Promise.all(workers.map(ask))
      missing.set(Math.max(0, count - answered.filter(Boolean).length))
      const figures = workers.flatMap((worker) => {
        const last = known.get(worker)
        return last ? [last] : []
      })
      if (figures.length === 0) throw new Error('No worker answers.')
      return `${await AggregatorRegistry.aggregate([former, ...figures]).metrics()}\n${await registry.metrics()}`
    },
  }
}

/** What only ever rises, unlike a state that ends with its process. */
function isCounted(metric: object): boolean {
  return 'type' in metric && (metric.type === 'counter' || metric.type === 'histogram')
}
