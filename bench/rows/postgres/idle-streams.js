/** What event streams cost a process of the service that only hold them open, on PostgreSQL. */
import { setTimeout as pause } from 'node:timers/promises'
import { residentMegabytes, run, startContender } from '../../tools/child.js'
import { startListeners } from '../../tools/listening.js'
import { startPostgres } from '../../tools/postgres/server.js'
import { rounded } from '../../tools/rounds.js'

const wanted = 10_000
/** Descriptors that a process needs for everything else. */
const others = 500
/** Long enough for what opening them has left to be collected. */
const settlingMilliseconds = 10_000

/** @returns {Promise<import('../../tools/table.js').Row[]>} */
export async function measure() {
  const streams = Math.min(wanted, (await mostDescriptors()) - others)
  const server = await startPostgres()
  try {
    const service = await startContender('contenders/postgres-service.js', [server.url])
    const listeners = await startListeners()
    const { apiKey } = /** @type {{ apiKey: string }} */ (await service.ask('key'))
    const headers = { 'x-api-key': apiKey }
    const address = `http://127.0.0.1:${service.port}/collections`
    const body = JSON.stringify({ name: 'posts' })
    await fetch(address, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body })
    /** @param {number} count */
    const open = (count) =>
      listeners.open({ open: 'event stream', port: service.port, path: '/realtime/sse/posts', count, headers })
    await open(1)
    await pause(settlingMilliseconds)
    const before = residentMegabytes(service.pid)
    await open(streams)
    await pause(settlingMilliseconds)
    const after = residentMegabytes(service.pid)
    await Promise.all([listeners.stop(), service.stop()])
    return [
      {
        what: `memory of ${rounded(streams)} idle event streams, PostgreSQL`,
        against: '',
        values: [after - before],
        target: { atMost: 100 },
        unit: ' MB',
        figures: `${rounded(before)} MB without, ${rounded(after)} MB with`,
      },
    ]
  } finally {
    await server.stop()
  }
}

/** `ulimit -n`, which both ends have. */
async function mostDescriptors() {
  const { stdout } = await run('sh', ['-c', 'ulimit -n'])
  return stdout.trim() === 'unlimited' ? Number.POSITIVE_INFINITY : Number(stdout)
}
