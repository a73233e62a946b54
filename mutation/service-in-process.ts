/** The service of conformance tests, in the thread where the mutants are; another one where the last mutant has broken it. */
import { inject } from 'vitest'
import { type Emulator, startEmulator } from '../emulator/dev.js'

interface Opened {
  readonly emulator: Emulator
  runs: number
}

/** A mutant may have damaged what the service remembers. */
const mostRuns = 60

const place = globalThis as { mutated?: Opened | undefined; addressed?: object }

async function isWell({ emulator, runs }: Opened): Promise<boolean> {
  if (runs >= mostRuns) return false
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
// Fixtures stay loaded, and hold on to what they were given first.
place.addressed ??= inject('service')
const { url, controlToken } = place.mutated.emulator
Object.assign(place.addressed, { url, controlToken })
