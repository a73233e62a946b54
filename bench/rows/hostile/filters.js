/** Filters that cost writers, or the database. Contract 10.11. */
import { get } from 'node:http'

const large = 'a'.repeat(900_000)

/** @type {import('./rows.js').Attack[]} */
export const filters = [
  {
    what: 'a write of 30 KB beside a subscription that asks for 6,600 tests',
    async prepare(dev) {
      const name = `[or]${Array(33).fill('v').join('__or__')}__contains`
      await subscribe(dev, { [name]: Array.from({ length: 200 }, (_, at) => `text ${at}`) })
      return { method: 'POST', path: '/collections/posts', body: JSON.stringify({ v: 'Text '.repeat(6_000) }) }
    },
  },
  {
    what: 'a write of 900 KB beside a subscription of 200 tests',
    async prepare(dev) {
      await subscribe(dev, { '[or]v__contains': Array.from({ length: 200 }, (_, at) => `${'a'.repeat(20)}${at}`) })
      return { method: 'POST', path: '/collections/posts', body: JSON.stringify({ v: large }) }
    },
  },
  ...[7_500, 1_000].flatMap((characters) =>
    ['contains', 'endswith'].map((operator) => ({
      what: `${operator} with ${characters} characters, 12 documents of 900 KB`,
      /** @param {import('../../tools/dev.js').Dev} dev */
      async prepare({ ask }) {
        await ask('POST', '/collections', { name: 'posts' })
        for (let count = 0; count < 12; count++) await ask('POST', '/collections/posts', { v: large })
        return { method: 'GET', path: `/collections/posts?v__${operator}=${'a'.repeat(characters - 1)}b` }
      },
    })),
  ),
]

/** Opens a stream of events that stays for as long as the process does. @param {import('../../tools/dev.js').Dev} dev @param {object} asked */
async function subscribe({ ask, url, headers }, asked) {
  await ask('POST', '/collections', { name: 'posts' })
  const path = `/realtime/sse/posts?filters=${encodeURIComponent(JSON.stringify(asked))}`
  await new Promise((resolve, reject) => {
    get(url + path, { headers }, (stream) => {
      stream.resume()
      stream.on('error', () => undefined)
      resolve(stream.statusCode)
    }).on('error', reject)
  })
}
