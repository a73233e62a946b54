/** Five batches of 10 MB at once. */
import { atOnce, fill, text } from './requests.js'

/** @typedef {import('./requests.js').Target} Target */

let body = ''

/** @param {Target} target */
export async function prepare(target) {
  await fill(target, 'batches', 0, () => ({}), 1)
  body = JSON.stringify({ documents: Array.from({ length: 1_000 }, (_, at) => ({ n: at, body: text(9_800, at) })) })
}

/** @param {Target} target */
export function create({ url, key }) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  return atOnce(5, `${url}/collections/batches/batch`, { method: 'POST', headers, body })
}
