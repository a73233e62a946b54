/** A process of `svc serve --workers`: what it is to do comes as a message, so that no secret is in its arguments. */
import { StartError } from '../database/start-error.js'
import { endAfterFault } from './last-words.js'
import { type FromWorker, isOurs, type ToWorker } from './messages.js'
import { openServing, type ServingProcess } from './process.js'

let opening: Promise<ServingProcess> | undefined
let isStopping = false

process.on('message', (message) => {
  if (!isOurs<ToWorker>(message)) return
  if (message.kind === 'start') void start(message)
  if (message.kind === 'drain') void stop(0)
  if (message.kind === 'ping') say({ kind: 'pong' })
})
// A terminal and some supervisors signal the whole group: the first one is what the supervisor says as well, a second one is haste,
// but for the closing of a terminal, which the shell says too.
const signals = new Set<string>()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (signals.size > 0 && signal === 'SIGHUP') return
    if (signals.size > 0) process.exit(1)
    signals.add(signal)
    void stop(0)
  })
}
// The supervisor is gone, and no other process will replace this one.
process.on('disconnect', () => void stop(1))
endAfterFault(async () => {
  process.exitCode = 1
  isStopping = true
  const serving = await opening?.catch(() => undefined)
  await serving?.closeNow()
})
say({ kind: 'up' })

async function start({ config, isReplacement }: Extract<ToWorker, { kind: 'start' }>): Promise<void> {
  try {
    opening = openServing(config, { isReplacement })
    const { url, adminUrl } = await opening
    say({ kind: 'ready', url, adminUrl })
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    const { code, message, hint, port } = error
    say({ kind: 'failed', code, message, hint, port })
    process.exitCode = 1
    process.disconnect()
  }
}

async function stop(exitCode: number): Promise<void> {
  if (isStopping) return
  isStopping = true
  const serving = await opening?.catch(() => undefined)
  await serving?.close()
  process.exit(process.exitCode ?? exitCode)
}

function say(message: FromWorker): void {
  process.send?.(message)
}
