/** bcryptjs and nothing else: password checks in as many worker threads as there are processors. */
import { availableParallelism } from 'node:os'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import bcrypt from 'bcryptjs'

const password = 'Correct4Horse'

if (isMainThread) {
  const hash = bcrypt.hashSync(password, 10)
  const workers = Array.from({ length: availableParallelism() }, () => new Worker(new URL(import.meta.url)))
  process.on('message', async (/** @type {{ milliseconds: number }} */ { milliseconds }) => {
    const begunAt = performance.now()
    const counts = await Promise.all(workers.map((worker) => checks(worker, { hash, milliseconds })))
    const checked = counts.reduce((sum, count) => sum + count, 0)
    process.send?.({ perSecond: checked / ((performance.now() - begunAt) / 1000) })
  })
  process.send?.({})
} else {
  parentPort?.on('message', (/** @type {{ hash: string, milliseconds: number }} */ { hash, milliseconds }) => {
    const until = performance.now() + milliseconds
    let count = 0
    for (; performance.now() < until; count++) bcrypt.compareSync(password, hash)
    parentPort?.postMessage(count)
  })
}

/** @param {Worker} worker @param {{ hash: string, milliseconds: number }} asked @returns {Promise<number>} */
function checks(worker, asked) {
  const answer = new Promise((resolve) => worker.once('message', resolve))
  worker.postMessage(asked)
  return answer
}
