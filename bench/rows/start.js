/** Measures the startup time and idle cost of `svc dev`. */

import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { residentMegabytes, startContender } from '../tools/child.js'
import { startDev } from '../tools/dev.js'
import { copyFolder, newPath } from '../tools/folders.js'
import { fill } from '../tools/posts.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

const settledMilliseconds = 5_000

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const folder = newPath()
  const first = await startDev(folder)
  await fill(first, 'posts', 10_000)
  await first.stop()
  const bareFolder = await copyFolder(folder)
  const { existing, fresh, bare } = await inTurns({
    bare: () => bareOpening(join(bareFolder, 'data')),
    existing: () => readyAfter(folder),
    fresh: () => readyAfter(newPath()),
  })
  const memory = await inTurns(
    { bare: () => bareMemory(join(bareFolder, 'data')), dev: () => devMemory(folder) },
    { rounds: 5, warmUps: 0 },
  )
  const against = 'bare PGlite opening that directory'
  return [
    {
      what: '`svc dev` ready, existing project',
      against,
      values: ratios(existing, bare),
      target: { atMost: 1.6 },
      figures: `${rounded(median(existing))} ms, bare ${rounded(median(bare))} ms`,
    },
    {
      what: '`svc dev` ready, first start',
      against,
      values: ratios(fresh, bare),
      target: { atMost: 2.5 },
      figures: `${rounded(median(fresh))} ms`,
    },
    {
      what: 'resident memory, idle',
      against: 'bare PGlite process',
      values: ratios(memory.dev, memory.bare),
      target: { atMost: 1.35 },
      figures: `${rounded(median(memory.dev))} MB, bare ${rounded(median(memory.bare))} MB`,
    },
  ]
}

/** @param {string} folder */
async function readyAfter(folder) {
  const dev = await startDev(folder)
  await dev.stop()
  return dev.readyMilliseconds
}

/** @param {string} dataDir */
async function bareOpening(dataDir) {
  const begunAt = performance.now()
  const bare = await startContender('contenders/pglite.js', [dataDir])
  const milliseconds = performance.now() - begunAt
  await bare.stop()
  return milliseconds
}

/** @param {string} folder */
async function devMemory(folder) {
  const dev = await startDev(folder)
  await pause(settledMilliseconds)
  const megabytes = residentMegabytes(dev.pid)
  await dev.stop()
  return megabytes
}

/** @param {string} dataDir */
async function bareMemory(dataDir) {
  const bare = await startContender('contenders/pglite.js', [dataDir])
  await pause(settledMilliseconds)
  const megabytes = residentMegabytes(bare.pid)
  await bare.stop()
  return megabytes
}
