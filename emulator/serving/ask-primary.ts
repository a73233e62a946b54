/** How a worker answers for all of them: the primary adds their figures up. */
import cluster from 'node:cluster'
import { type FromWorker, isOurs, type ToWorker } from './messages.js'

const mostMilliseconds = 8_000

/** The metrics of all workers; in a process alone, nothing. @throws where the primary does not answer */
export function openPrimaryMetrics(): (() => Promise<string>) | undefined {
  if (!cluster.isWorker) return undefined
  let last = 0
  const waiting = new Map<number, (text: string | undefined) => void>()
  process.on('message', (message) => {
    if (!isOurs<ToWorker>(message) || message.kind !== 'metrics') return
    waiting.get(message.id)?.(message.text)
  })
  return () =>
    new Promise<string>((resolve, reject) => {
      const id = ++last
      const settle = (text: string | undefined) => {
        clearTimeout(timer)
        waiting.delete(id)
        if (text === undefined) reject(new Error('The other workers do not answer.'))
        else resolve(text)
      }
      const timer = setTimeout(settle, mostMilliseconds, undefined)
      waiting.set(id, settle)
      const asking: FromWorker = { kind: 'metrics', id }
      process.send?.(asking)
    })
}
