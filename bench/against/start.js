/** Compares startup, idle cost, and client size with an earlier build. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sizeOfBundle } from '../tools/bundle.js'
import { residentMegabytes } from '../tools/child.js'
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { fill } from '../tools/posts.js'
import { buildCommand, inPairs } from './pairs.js'

const settledMilliseconds = 2_000

/** @typedef {import('./pairs.js').Builds} Builds @typedef {import('../tools/table.js').Row} Row */

/** @param {Builds} builds @param {number} pairs @returns {Promise<Row[]>} */
export async function measureStart(builds, pairs) {
  const [before, now] = [await filled(builds.before), await filled(builds.now)]
  return [
    await inPairs({
      ...{ what: '`svc dev` ready, existing project', unit: 'ms', pairs },
      before: () => readyAfter(builds.before, before),
      now: () => readyAfter(builds.now, now),
    }),
    await inPairs({
      ...{ what: '`svc dev` ready, first start', unit: 'ms', pairs },
      before: () => readyAfter(builds.before, newPath()),
      now: () => readyAfter(builds.now, newPath()),
    }),
    await inPairs({
      ...{ what: 'resident memory, idle', unit: 'MB', pairs },
      before: () => idleMegabytes(builds.before, before),
      now: () => idleMegabytes(builds.now, now),
    }),
  ]
}

/** The size does not vary, so one pair is enough. @param {Builds} builds @returns {Promise<Row[]>} */
export async function measureClient(builds) {
  const size = (/** @type {string} */ build) => async () =>
    (await sizeOfBundle(join(build, 'dist/client/index.js'))).zipped
  return [
    await inPairs({
      ...{ what: 'client, everything, gzip', unit: 'KB', pairs: 1 },
      before: size(builds.before),
      now: size(builds.now),
    }),
  ]
}

/** Creates a folder with 10,000 documents for that build. @param {string} build */
async function filled(build) {
  const folder = newPath()
  const dev = await startDev(folder, { command: buildCommand(build) })
  await fill(dev, 'posts', 10_000)
  await dev.stop()
  return folder
}

/** @param {string} build @param {string} folder */
async function readyAfter(build, folder) {
  const dev = await startDev(folder, { command: buildCommand(build) })
  await dev.stop()
  return dev.readyMilliseconds
}

/** @param {string} build @param {string} folder */
async function idleMegabytes(build, folder) {
  const dev = await startDev(folder, { command: buildCommand(build) })
  await pause(settledMilliseconds)
  const megabytes = residentMegabytes(dev.pid)
  await dev.stop()
  return megabytes
}
