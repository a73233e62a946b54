/** Two `svc serve` are restarted one after the other under load, as the guide for operators says: nothing fails, and nothing is lost. */
import { it, onTestFinished } from 'vitest'
import { bin } from '../cli/command-line.js'
import { startReadinessProxy } from '../fixtures/proxies/readiness-proxy.js'
import { openHosts } from '../fixtures/rolling/hosts.js'
import { openLoad } from '../fixtures/rolling/load.js'

it('no request fails and no event is lost or doubled while two processes are restarted in turn', async () => {
  const hosts = await openHosts(bin, startReadinessProxy)
  onTestFinished(hosts.close)
  const load = await openLoad(hosts)
  await load.goesOn(50)

  for (const at of [0, 1]) {
    await hosts.replace(at, bin)
    await load.goesOn(50)
  }

  await load.expectExact()
})
