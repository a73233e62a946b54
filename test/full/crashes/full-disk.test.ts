/** A disk that fills up beneath `svc dev` to the last byte while it is written to; it is killed meanwhile, and restarted once there is space. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { type Devs, openDevs } from '../../fixtures/dev.js'
import { clientOf } from '../../fixtures/kills/under-writes.js'
import { patiently } from '../../fixtures/patience.js'
import { record } from '../../reliability/ledger.js'
import { isLong, scaled } from '../../reliability/scale.js'
import { type Load, openLoad } from './load.js'

const diskMegabytes = 320
const leastWrites = 40
const leastRefusals = 20

const disk = mkdtempSync(join(tmpdir(), 'svc-disk-'))
// A separate file system: filling it affects nothing else. Only root may mount one, and only the long form takes the time.
const isMounted =
  isLong && spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMegabytes}m`, 'tmpfs', disk]).status === 0
const ballast = join(disk, 'ballast')

let devs: Devs | undefined
afterAll(async () => {
  await devs?.stop()
  if (isMounted) spawnSync('umount', ['-l', disk])
  rmSync(disk, { recursive: true, force: true })
})

/** Fills the rest of the disk, to the last byte. */
async function fill(): Promise<void> {
  const file = await open(ballast, 'w')
  try {
    for (let size = 1_048_576; size >= 1; size = size > 1 ? size / 2 : 0) {
      const bytes = Buffer.alloc(size, 'x')
      for (let isFull = false; !isFull; ) isFull = await file.appendFile(bytes).then(() => false, isOutOfSpace)
    }
  } finally {
    await file.close()
  }
}

function isOutOfSpace(error: NodeJS.ErrnoException): true {
  if (error.code !== 'ENOSPC') throw error
  return true
}

/** Waits until that many more have been acknowledged, or refused. */
const more = (load: Load, what: 'acknowledged' | 'refused', least: number) => {
  const before = load[what]()
  return expect.poll(load[what], patiently).toBeGreaterThan(before + least)
}

it.skipIf(!isMounted)(
  'a full disk costs no write that was acknowledged, whether the service is killed on it or not',
  async () => {
    devs = await openDevs()
    let dev = await devs.start('--data', join(disk, 'state'))
    await clientOf(dev).collections.create({ name: 'entries' })
    const load = openLoad(() => clientOf(dev))
    const cycles = scaled(1, 6)
    let deaths = 0
    for (let cycle = 0; cycle < cycles; cycle++) {
      await more(load, 'acknowledged', leastWrites)
      await fill()
      await more(load, 'refused', leastRefusals)
      const isKilled = cycle % 2 === 1
      if (isKilled && dev.child.exitCode === null) {
        const died = once(dev.child, 'exit')
        dev.child.kill('SIGKILL')
        await died
      }
      await rm(ballast)
      if (dev.child.exitCode === null && dev.child.signalCode === null) continue
      deaths++
      dev = await devs.start('--data', join(disk, 'state'))
    }
    await more(load, 'acknowledged', leastWrites)
    await load.stop()

    const findings = await load.findings()

    record({
      part: 'crashes',
      what: `the disk is full: ${cycles} times, ${deaths} of them the service is killed or ends; ${load.refused()} writes refused`,
      engine: 'pglite',
      count: load.acknowledged(),
      unit: 'writes',
      found: Object.fromEntries(Object.entries(findings).map(([kind, all]) => [kind, all.length])),
    })
    expect(findings).toEqual({ lost: [], different: [], gaps: [], miscounted: [], unexpected: [] })
  },
)
