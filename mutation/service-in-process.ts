/** Runs the service of conformance tests in the thread with the mutants. Restarts it if the last mutant broke it. */
import { inject } from 'vitest'
import { type Emulator, startEmulator } from '../emulator/assembly/dev.js'

interface Opened {
  readonly emulator: Emulator
  runs: number
}

/** Restarts regularly, because a mutant may have corrupted the service's state. */
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
// Each run gets another object. Cached fixtures hold the object of an earlier run, others hold this one.
place.addressed ??= new Set()
place.addressed.add(inject('service'))
const { url, controlToken } = place.mutated.emulator
for (const one of place.addressed) Object.assign(one, { url, controlToken })
