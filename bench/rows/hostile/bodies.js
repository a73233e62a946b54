/** Bodies whose size is allowed and whose parts are many. Contract 2.4 and 10.10. */

const megabytes = 1024 * 1024

/** @type {[what: string, path: string, body: () => string][]} */
const shots = [
  [
    '10 MB of `{}` in a batch',
    '/collections/posts/batch',
    () => `{"documents":[${filled('{}', 10 * megabytes - 20)}]}`,
  ],
  ['10 MB of `{}` in a document', '/collections/posts', () => `{"a":[${filled('{}', 10 * megabytes - 20)}]}`],
  [
    '10 documents of 1 MB of `[]`',
    '/collections/posts/batch',
    () => batchOf(9, () => `{"a":[${filled('[]', 990_000)}]}`),
  ],
  ['a document of 1 MB of `{}`', '/collections/posts', () => `{"a":[${filled('{}', 990_000)}]}`],
  ['700,000 keys in a document', '/collections/posts', () => `{${keys(700_000)}}`],
  ['700,000 keys in a batch of one', '/collections/posts/batch', () => `{"documents":[{${keys(700_000)}}]}`],
  ['1,000 documents of 600 keys', '/collections/posts/batch', () => batchOf(1_000, () => `{${keys(600)}}`)],
  ['10 MB of `[`', '/collections/posts', () => '['.repeat(10 * megabytes - 1)],
]

/** @type {import('./rows.js').Attack[]} */
export const bodies = [
  ...shots.map(([what, path, body]) => ({
    what,
    /** @param {import('../../tools/dev.js').Dev} dev */
    async prepare({ ask }) {
      await ask('POST', '/collections', { name: 'posts' })
      return { method: 'POST', path, body: body() }
    },
  })),
  {
    what: '100,000 items appended to 100,000',
    async prepare({ ask }) {
      await ask('POST', '/collections', { name: 'posts' })
      const { id } = await ask('POST', '/collections/posts', { a: Array.from({ length: 100_000 }, (_, at) => at) })
      const items = Array.from({ length: 60_000 }, (_, at) => 100_000 + at)
      return { method: 'PATCH', path: `/collections/posts/${id}`, body: JSON.stringify({ $append: { a: items } }) }
    },
  },
  {
    what: '1,000 empty documents under a schema of 1,000 fields',
    async prepare({ ask }) {
      const fields = Array.from({ length: 1_000 }, (_, at) => [`f${at}`, { type: 'string' }])
      await ask('POST', '/collections', { name: 'posts', schema: Object.fromEntries(fields) })
      return { method: 'POST', path: '/collections/posts/batch', body: batchOf(1_000, () => '{}') }
    },
  },
]

/** @param {string} item @param {number} bytes */
function filled(item, bytes) {
  return `${item},`.repeat(Math.floor(bytes / (item.length + 1)) - 1) + item
}

/** @param {number} count */
function keys(count) {
  return Array.from({ length: count }, (_, at) => `"k${at.toString(36)}":1`).join()
}

/** @param {number} count @param {() => string} document */
function batchOf(count, document) {
  return `{"documents":[${Array.from({ length: count }, document).join()}]}`
}
