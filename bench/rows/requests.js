/** The cost of recording the last requests: where it is on, off in the project, and off for all; and of faults. */
import { startContender } from '../tools/child.js'
import { startLoad } from '../tools/load.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

const connections = 50
const milliseconds = 1_500

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const [on, off, faulty, load] = await Promise.all([
    startContender('contenders/request-log.js', ['on']),
    startContender('contenders/request-log.js', ['off']),
    startContender('contenders/request-log.js', ['faults']),
    startLoad(),
  ])
  /** @typedef {{ recorded: import('../load.js').Ask[], quiet: import('../load.js').Ask[] }} Asks */
  const [{ recorded, quiet }, { quiet: unrecorded }, { quiet: besideFaults }] = await Promise.all([
    /** @type {Promise<Asks>} */ (on.ask('asks')),
    /** @type {Promise<Asks>} */ (off.ask('asks')),
    /** @type {Promise<Asks>} */ (faulty.ask('asks')),
  ])
  const drive = (/** @type {number} */ port, /** @type {import('../load.js').Ask[]} */ asks) => async () =>
    (await load.drive({ port, connections, milliseconds, asks })).perSecond
  const get = await inTurns(
    {
      ...{ recorded: drive(on.port, recorded), quiet: drive(on.port, quiet), none: drive(off.port, unrecorded) },
      beside: drive(faulty.port, besideFaults),
    },
    { rounds: 11, warmUps: 3 },
  )
  await Promise.all([on.stop(), off.stop(), faulty.stop(), load.stop()])

  /** @param {string} what @param {number[]} ours @param {number} atLeast */
  const row = (what, ours, atLeast) => ({
    ...{ what, against: 'no request log', values: ratios(ours, get.none), target: { atLeast } },
    figures: `${rounded(median(ours))}/s, ${rounded(median(get.none))}/s`,
  })
  return [
    row('get by id, 50 connections, recorded', get.recorded, 0.9),
    row('get by id, 50 connections, of a project that records none', get.quiet, 0.97),
    { ...row('get by id, 50 connections, with faults in another project', get.beside, 0.97), against: 'no faults' },
  ]
}
