/** The service on the PostgreSQL database of its argument, as one of several processes. It answers any message with its keys. */
import { built } from '../tools/built.js'

/** @type {typeof import('../../emulator/dev.js')} */
const { startEmulator } = await built('emulator/dev.js')
const emulator = await startEmulator({ databaseUrl: process.argv[2], memory: true, requestLog: false })

process.on('message', () => process.send?.({ apiKey: emulator.apiKey, controlToken: emulator.controlToken }))
process.send?.({ port: Number(new URL(emulator.url).port) })
