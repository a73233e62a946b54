/** The test helper, until its first answer. */
import { built } from '../tools/built.js'

const { startTestEmulator } = await built('emulator/testing.js')
const emulator = await startTestEmulator()
await emulator.client.collections.list()
process.exit()
