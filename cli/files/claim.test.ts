import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isFirstAt } from './claim.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-claim-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('of those that came at the same time of the disk, the one with the lowest number is the first', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 60_000)'])
  await once(other, 'spawn')
  // One that began before, and one that began after: most often with a lower number, and with a higher one.
  const pids = [process.ppid, other.pid ?? 0]

  const first = pids.map((pid, at) => {
    const place = join(folder, `place-${at}`)
    isFirstAt(place)
    writeFileSync(`${place}.${pid}.pid`, '')
    for (const each of [pid, process.pid]) utimesSync(`${place}.${each}.pid`, 1, 1)
    return isFirstAt(place)
  })
  other.kill()

  expect(first).toEqual(pids.map((pid) => pid > process.pid))
})
