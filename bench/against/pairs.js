/** Runs two builds of the service side by side. */
import { join } from 'node:path'
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

/** Root folders of the earlier build and this one. @typedef {{ before: string, now: string }} Builds */
/** @typedef {import('../tools/dev.js').Dev} Dev */

/** Returns the entry file of a build's command. @param {string} build */
export function buildCommand(build) {
  return join(build, 'cli', 'bin', 'run.js')
}

/**
 * Starts both services on separate folders and stops them at the end.
 *
 * @template Result @param {Builds} builds @param {(before: Dev, now: Dev) => Promise<Result>} use
 */
export async function withBoth(builds, use) {
  const before = await startDev(newPath(), { command: buildCommand(builds.before) })
  const now = await startDev(newPath(), { command: buildCommand(builds.now) })
  try {
    return await use(before, now)
  } finally {
    await Promise.all([before.stop(), now.stop()])
  }
}

/**
 * Measures one operation on both services in turns. The row has the ratio of each pair, which may be 10 % worse.
 *
 * @param {{ what: string, unit: string, isRate?: boolean, pairs: number, before: () => Promise<number>, now: () =>
 * Promise<number> }} operation
 * @returns {Promise<import('../tools/table.js').Row>}
 */
export async function inPairs({ what, unit, isRate = false, pairs, before, now }) {
  const measured = await inTurns({ before, now }, { rounds: pairs })
  return {
    ...{ what, against: 'the former build', values: ratios(measured.now, measured.before) },
    target: isRate ? { atLeast: 0.9 } : { atMost: 1.1 },
    figures: `${rounded(median(measured.now))} ${unit}, ${rounded(median(measured.before))} ${unit}; ${pairs} pairs`,
  }
}
