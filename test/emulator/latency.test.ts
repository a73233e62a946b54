import { expect, test } from 'vitest'
import { startEmulator } from '../../emulator/assembly/dev.js'

test('latency is asked for each answer of the API, also for a refusal, and for none of the emulator itself', async () => {
  let asked = 0
  const latency = () => {
    asked++
    return 0
  }
  const emulator = await startEmulator({ memory: true, latency })
  const ask = async (path: string) => {
    const before = asked
    await (await fetch(emulator.url + path, { headers: { 'x-api-key': emulator.apiKey } })).arrayBuffer()
    return asked - before
  }

  const ofProject = [await ask('/collections'), await ask('/collections/posts/documents'), await ask('/nowhere')]
  const ofEmulator = [await ask('/_svc/api/health'), await ask('/_svc/api/process'), await ask('/_svc/')]
  await emulator.close()

  expect(ofProject).toEqual([1, 1, 1])
  expect(ofEmulator).toEqual([0, 0, 0])
})
