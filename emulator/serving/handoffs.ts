/**
 * Connections that the primary has sent to a worker and that the worker has not taken. When the worker ends before it has, as one that
 * hangs, `node:cluster` keeps them open for ever, and its client waits for an answer that never comes.
 */
import type { Worker } from 'node:cluster'

interface Handle {
  close(...words: unknown[]): unknown
}

export interface Handoffs {
  /** Closes what this worker has not taken, once it is gone. */
  watch(worker: Worker): void
}

export function openHandoffs(): Handoffs {
  /** Who has it last: one that a worker hands back is sent to another. */
  const holders = new Map<Handle, Worker>()
  return {
    watch(worker) {
      const { process } = worker
      const { send } = process
      process.send = (...words: unknown[]) => {
        const [, handle] = words
        if (isHandle(handle)) remember(handle, worker)
        return Reflect.apply(send, process, words)
      }
      let isDisconnected = false
      process.once('disconnect', () => {
        isDisconnected = true
      })
      // Behind the last of its messages, among them those that say what it has taken; it reads nothing from a connection before that.
      process.once('close', () => {
        for (const [handle, holder] of [...holders]) if (holder === worker) handle.close()
        // Node waits for the connection to be taken before it says so, and the cluster for Node before it lets go of the worker's ports.
        if (!isDisconnected) process.emit('disconnect')
      })
    },
  }

  function remember(handle: Handle, worker: Worker): void {
    const isKnown = holders.has(handle)
    holders.set(handle, worker)
    if (isKnown) return
    const close = handle.close.bind(handle)
    // The primary closes its own end of what a worker has taken.
    handle.close = (...words) => {
      holders.delete(handle)
      return close(...words)
    }
  }
}

function isHandle(value: unknown): value is Handle {
  return typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function'
}
