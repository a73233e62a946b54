/** Lists that read, search or answer much, ten at once. */
import { atOnce, fill, text } from './requests.js'

/** @typedef {import('./requests.js').Target} Target */

/** @param {Target} target */
export async function prepare(target) {
  // 10,000 documents of 54 MB, and a page of 28 MB.
  await fill(target, 'searched', 10_000, (at) => ({ n: at, body: text(5_400, at) }), 1_000)
  await fill(target, 'pages', 100, (at) => ({ n: at, body: text(280_000, at) }), 20)
}

/** @param {Target} target */
export function search({ url, key }) {
  const filters = Array.from({ length: 20 }, (_, at) => `body__contains=no${at}where`).join('&')
  return atOnce(10, `${url}/collections/searched?${filters}`, { headers: { 'x-api-key': key } })
}

/** @param {Target} target */
export function page({ url, key }) {
  return atOnce(10, `${url}/collections/pages?limit=100`, { headers: { 'x-api-key': key } })
}
