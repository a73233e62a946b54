/** bcrypt in a thread of its own: questions in, answers out, one after the other. `bcrypt-pool.ts` is the other end. */
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { loadBcrypt } from './bcrypt-library.js'

const bcrypt = await loadBcrypt()

try {
  // Of this thread alone, on Linux: requests that need no password go first.
  if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)
} catch {
  // Not allowed here: everything is as important as everything else, then.
}

parentPort?.on('message', (/** @type {{ password: string, hash?: string, cost: number }} */ question) => {
  const { password, hash, cost } = question
  parentPort?.postMessage(hash === undefined ? bcrypt.hash(password, cost) : bcrypt.matches(password, hash))
})
