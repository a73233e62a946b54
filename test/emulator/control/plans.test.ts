/** The plans of changed schemas on a PostgreSQL server. `control.test.ts` has them on the embedded database. */
import { afterAll, beforeAll } from 'vitest'
import { type Control, controlClient } from '../../../client/control.js'
import { openSender } from '../../../client/send.js'
import type { Emulator } from '../../../emulator/assembly/dev.js'
import { startOn } from '../../fixtures/databases/engine-emulators.js'
import { planCases } from './plans.cases.js'

let emulator: Emulator
let control: Control
beforeAll(async () => {
  emulator = await startOn('postgres')
  const { send, openStream } = openSender({ url: emulator.url })
  control = controlClient(send, emulator.controlToken, openStream)
})
afterAll(() => emulator.close())

planCases({
  get emulator() {
    return emulator
  },
  get control() {
    return control
  },
})
