/** The latency of logins while a client without a key posts resets with unknown tokens. */
import { startDev } from '../../tools/dev.js'
import { newPath } from '../../tools/folders.js'
import { rounded } from '../../tools/rounds.js'

const posts = 400
const account = { email: 'ada@example.com', password: 'Correct4Horse' }

/** @returns {Promise<import('../../tools/table.js').Row[]>} */
export async function measureLogins() {
  const dev = await startDev(newPath())
  try {
    await dev.ask('POST', '/auth-collections/signup', account)
    const alone = await logIn(dev)
    const begunAt = performance.now()
    const attack = Promise.all(Array.from({ length: posts }, (_, at) => reset(dev, at)))
    const beside = await logIn(dev)
    const statuses = await attack
    const seconds = rounded((performance.now() - begunAt) / 1_000)
    return [
      {
        what: `a login beside ${posts} resets with unknown tokens, first answer that is not a refusal`,
        against: 'no attack',
        values: [beside.milliseconds],
        target: { atMost: 2_000 },
        unit: ' ms',
        figures: `alone ${rounded(alone.milliseconds)} ms; ${beside.refused} refused; resets ${counted(statuses)} in ${seconds} s`,
      },
    ]
  } finally {
    await dev.stop()
  }
}

/** Logs in, again as long as that is refused. @param {import('../../tools/dev.js').Dev} dev */
async function logIn({ url, headers }) {
  const begunAt = performance.now()
  for (let refused = 0; ; refused++) {
    const answer = await post(`${url}/auth-collections/login`, account, headers)
    if (answer === 200) return { milliseconds: performance.now() - begunAt, refused }
  }
}

/** @param {import('../../tools/dev.js').Dev} dev @param {number} at */
function reset({ url }, at) {
  const token = String(at).padStart(43, 'x')
  return post(`${url}/auth/reset-password`, { token, newPassword: account.password }, {})
}

/** @param {string} address @param {unknown} body @param {Record<string, string>} headers */
async function post(address, body, headers) {
  const all = { 'content-type': 'application/json', ...headers }
  const answer = await fetch(address, { method: 'POST', headers: all, body: JSON.stringify(body) })
  await answer.arrayBuffer()
  return answer.status
}

/** @param {number[]} statuses */
function counted(statuses) {
  const kinds = [...new Set(statuses)].sort()
  return kinds.map((kind) => `${statuses.filter((status) => status === kind).length}× ${kind}`).join(', ')
}
