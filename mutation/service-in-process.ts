/** The service of conformance tests, in the thread where the mutants are; another one where the last mutant has broken it. */
import { inject } from 'vitest'
import { type Emulator, startEmulator } from '../emulator/dev.js'

interface Opened {
  readonly emulator: Emulator
  runs: number
}

/** A mutant may have damaged what the service remembers. */
const maxRuns = 60

const place = globalThis as { mutated?: Opened | undefined; addressed?: Set<object> }

async function isWell({ emulator, runs }: Opened): Promise<boolean> {
  if (runs >= maxRuns) return false
  return emulator.someCollection().then(
    () => true,
    () => false,
  )
}

if (place.mutated && !(await isWell(place.mutated))) {
  await place.mutated.emulator.close().catch(() => {})
  place.mutated = undefined
}
place.mutated ??= { emulator: await startEmulator({ memory: true, providerTimeout: 4_000 }), runs: 0 }
place.mutated.runs++
// Each run is given another object: fixtures that stay loaded hold on to that of an earlier run, others have this one.
place.addressed ??= new Set()
place.addressed.add(inject('service'))
const { url, controlToken } = place.mutated.emulator
for (const one of place.addressed) Object.assign(one, { url, controlToken })
