/** 200 requests at once to a document of 900 KB: each is small, and makes the service read and answer all of it. */
import { atOnce, fill, text } from './requests.js'

/** @typedef {import('./requests.js').Target} Target */

let path = ''

/** @param {Target} target */
export async function prepare(target) {
  const items = Array.from({ length: 9_000 }, (_, at) => text(97, at))
  const [id] = await fill(target, 'large', 1, () => ({ items, n: 0 }), 1)
  path = `/collections/large/${id}`
}

/** @param {Target} target */
export function patch({ url, key }) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  return atOnce(200, url + path, { method: 'PATCH', headers, body: JSON.stringify({ n: 1 }) })
}

/** @param {Target} target */
export function get({ url, key }) {
  return atOnce(200, url + path, { headers: { 'x-api-key': key } })
}
