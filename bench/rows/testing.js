/** What an emulator of its own costs a test. */
import { fileURLToPath } from 'node:url'
import { built } from '../tools/built.js'
import { svcCommand, timeOf } from '../tools/child.js'
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

const contender = (/** @type {string} */ name) => fileURLToPath(new URL(`../contenders/${name}`, import.meta.url))

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const { dev, exec, bare, helper, plain, helped } = await inTurns(
    {
      dev: () => memoryReady(),
      exec: () => timeOf([svcCommand, 'exec', '--', 'true']),
      bare: () => timeOf([contender('pglite-from-template.js')]),
      helper: () => timeOf([contender('test-emulator.js')]),
      plain: () => timeOf([contender('ten-tests.js')]),
      helped: () => timeOf([contender('ten-tests.js'), 'helper']),
    },
    { rounds: 5 },
  )
  return [
    {
      what: '`svc exec -- true`',
      against: '`svc dev --memory` ready',
      values: ratios(exec, dev),
      target: { atMost: 1.5 },
      figures: `${rounded(median(exec))} ms, ${rounded(median(dev))} ms`,
    },
    {
      what: '`startTestEmulator()`, first of a process',
      against: 'PGlite in memory from the same template',
      values: ratios(helper, bare),
      target: { atMost: 1.25 },
      figures: `${rounded(median(helper))} ms, ${rounded(median(bare))} ms`,
    },
    {
      what: 'a file of ten tests with the helper, s more',
      against: 'the same file without it',
      values: helped.map((milliseconds, round) => (milliseconds - (plain[round] ?? 0)) / 1_000),
      target: { atMost: 1.2 },
      unit: ' s',
      figures: `${rounded(median(helped))} ms, ${rounded(median(plain))} ms`,
    },
    {
      what: '`project()`, ms',
      against: '-',
      values: await projectTimes(),
      target: { atMost: 5 },
      unit: ' ms',
    },
  ]
}

async function memoryReady() {
  const dev = await startDev(newPath(), { words: ['--memory'] })
  await dev.stop()
  return dev.readyMilliseconds
}

async function projectTimes() {
  const { startTestEmulator } = await built('emulator/testing.js')
  const emulator = await startTestEmulator()
  const times = []
  for (let number = 0; number < 220; number++) {
    const begunAt = performance.now()
    await emulator.project()
    times.push(performance.now() - begunAt)
  }
  await emulator.close()
  // The first ones include just-in-time compilation.
  return times.slice(20)
}
