/** What attacks have in common: requests that are all on their way at once. */

/** @typedef {{ url: string, key: string, adminKey: string, controlToken: string }} Target */

/**
 * Sends the same request many times at once and reads the answers; how often each status came.
 *
 * @param {number} times @param {string} url @param {RequestInit} options
 */
export async function atOnce(times, url, options) {
  /** @type {Record<string, number>} */
  const statuses = {}
  await Promise.all(
    Array.from({ length: times }, async () => {
      const status = await fetch(url, options).then(read, () => 'broken')
      statuses[status] = (statuses[status] ?? 0) + 1
    }),
  )
  return statuses
}

/** Its bytes are thrown away: the attacker's memory is not what is measured. @param {Response} answer */
async function read(answer) {
  for await (const _ of answer.body ?? []);
  return String(answer.status)
}

/** @param {Target} target @param {string} method @param {string} path @param {unknown} [body] @returns {Promise<any>} */
export async function ask({ url, adminKey }, method, path, body) {
  const headers = { 'x-api-key': adminKey, 'content-type': 'application/json' }
  const answer = await fetch(url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${(await answer.text()).slice(0, 200)}`)
  return answer.json()
}

/**
 * A collection of documents that everyone may read and write.
 *
 * @param {Target} target @param {string} name @param {number} count @param {(at: number) => object} documentAt @param {number} together
 * @returns {Promise<string[]>} the ids
 */
export async function fill(target, name, count, documentAt, together) {
  await ask(target, 'POST', '/collections', { name })
  const ids = []
  for (let first = 0; first < count; first += together) {
    const documents = Array.from({ length: Math.min(together, count - first) }, (_, at) => documentAt(first + at))
    const made = await ask(target, 'POST', `/collections/${name}/batch`, { documents })
    ids.push(...made.map((/** @type {{ id: string }} */ { id }) => id))
  }
  return ids
}

/** A text that no compression makes small. @param {number} characters @param {number} seed */
export function text(characters, seed) {
  let state = seed + 1
  let made = ''
  while (made.length < characters) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    made += `${state.toString(36)} `
  }
  return made.slice(0, characters)
}
