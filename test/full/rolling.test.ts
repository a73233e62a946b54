/**
 * Two hosts of `svc serve` on one PostgreSQL and one bucket, behind the HAProxy of deploy/, are replaced one after the other as the guide for operators
 * says, while clients write, read and subscribe: no request fails that its client does not retry by itself, everything acknowledged is
 * stored, and each subscriber receives each event once.
 */
import { expect, it, onTestFinished } from 'vitest'
import { newestMigration } from '../../emulator/database/migrate.js'
import { bin } from '../cli/command-line.js'
import { copyNextBuild } from '../fixtures/packages/builds.js'
import { openHosts } from '../fixtures/rolling/hosts.js'
import { openLoad } from '../fixtures/rolling/load.js'

const rounds = 3

it(`two hosts restart ${rounds} times under load, one after the other`, { timeout: 900_000 }, async () => {
  const hosts = await openHosts(bin)
  onTestFinished(hosts.close)
  const load = await openLoad(hosts)
  await load.goesOn()
  for (let round = 0; round < rounds; round++) {
    for (const at of [0, 1]) {
      await hosts.replace(at, bin)
      await load.goesOn()
    }
  }
  await load.expectExact()
})

it('two hosts are upgraded to a version whose migration holds the tables', { timeout: 900_000 }, async () => {
  const next = await copyNextBuild()
  onTestFinished(() => next.remove())
  const hosts = await openHosts(bin)
  onTestFinished(hosts.close)
  const load = await openLoad(hosts)
  await load.goesOn()
  expect(await hosts.migration()).toBe(newestMigration)
  // The host that stays runs the version before, on a database of the version after.
  await hosts.replace(0, next.bin)
  expect(await hosts.migration()).toBe(next.migration)
  await load.goesOn()
  await hosts.replace(1, next.bin)
  await load.goesOn()
  // Nor does one of an older version start on it.
  await expect(hosts.replace(1, bin)).rejects.toThrow('A newer svc has changed the database.')
  await load.goesOn()
  await load.expectExact()
})
