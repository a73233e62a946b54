/** Runs bcrypt in a worker thread, one question at a time. Counterpart: `bcrypt-pool.ts`. */
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { loadBcrypt } from './bcrypt-library.js'

const bcrypt = await loadBcrypt()

try {
  // Lowers the priority of this thread only (Linux), so that requests without passwords go first.
  if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)
} catch {
  // Not permitted: all threads keep the same priority.
}

parentPort?.on('message', (/** @type {{ password: string, hash?: string, cost: number }} */ question) => {
  const { password, hash, cost } = question
  parentPort?.postMessage(hash === undefined ? bcrypt.hash(password, cost) : bcrypt.matches(password, hash))
})
