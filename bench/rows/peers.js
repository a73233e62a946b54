/** Compares the same work on similar services, in turns. `bench/README.md` describes their setup. */
import { startLoad } from '../tools/load.js'
import { fillOneByOne, services } from '../tools/peer-services.js'
import { installPeers } from '../tools/peers.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

/** @typedef {import('../tools/peer-services.js').Service} Service @typedef {import('../load.js').Load} Load */
/** @typedef {{ service: Service, ids: string[] }} Filled */

const count = 10_000
const connections = 50
const milliseconds = 2_000
/** Deletes per round, of documents created before it. */
const deletes = 2_000

/**
 * Requests of a round.
 *
 * @type {Record<string, (filled: Filled) => Promise<Omit<Load, 'port'>>>}
 */
const kinds = {
  'get by id': async ({ service, ids }) => ({ connections, milliseconds, asks: ids.slice(0, 1_000).map(service.get) }),
  'list of 20 of 10,000: filter, sort, total': async ({ service }) => ({
    ...{ connections, milliseconds },
    asks: [service.list],
  }),
  create: async ({ service }) => ({ connections, milliseconds, asks: [service.create] }),
  'update one field': async ({ service, ids }) => ({ connections, milliseconds, asks: ids.map(service.update) }),
  delete: async ({ service }) => ({
    ...{ connections, milliseconds, isOnce: true },
    asks: (await fillOneByOne(service, deletes)).map(service.remove),
  }),
}

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  installPeers()
  const load = await startLoad()
  /** @type {Record<string, Filled>} */
  const contenders = {}
  for (const [name, start] of Object.entries(services)) {
    const service = await start()
    contenders[name] = { service, ids: await fillOneByOne(service, count) }
  }
  const rows = []
  for (const [what, asking] of Object.entries(kinds)) rows.push(...(await compare(load, contenders, what, asking)))
  await Promise.all([load.stop(), ...Object.values(contenders).map(({ service }) => service.stop())])
  return rows
}

/**
 * @param {Awaited<ReturnType<typeof startLoad>>} load @param {Record<string, Filled>} contenders
 * @param {string} what @param {(typeof kinds)[string]} asking @returns {Promise<import('../tools/table.js').Row[]>}
 */
async function compare(load, contenders, what, asking) {
  const measurements = Object.entries(contenders).map(([name, filled]) => [
    name,
    async () => {
      return (await load.drive({ port: filled.service.port, ...(await asking(filled)) })).perSecond
    },
  ])
  /** @type {Record<string, number[]>} */
  const { svc = [], ...others } = await inTurns(Object.fromEntries(measurements))
  return Object.entries(others).map(([against, paces]) => ({
    ...{ what, against, values: ratios(svc, paces), target: { atLeast: 1.3 } },
    figures: `${rounded(median(svc))}/s, ${rounded(median(paces))}/s`,
  }))
}
