/** Answers that would be far larger than what was asked. Contract 10.10. */

/** @type {import('./rows.js').Attack[]} */
export const answers = [
  {
    what: '60 links to itself, five deep',
    async prepare({ ask }) {
      const { id } = await aDocument(ask, {})
      await ask('PATCH', `/collections/posts/${id}`, { l: Array(60).fill(id) })
      return { method: 'GET', path: `/collections/posts/${id}?populate=l.l.l.l.l` }
    },
  },
  ...[400, 1_000].map((count) => ({
    what: `${count} links to one document of 900 KB`,
    /** @param {import('../../tools/dev.js').Dev} dev */
    async prepare({ ask }) {
      const large = await aDocument(ask, { text: 'x'.repeat(900_000) })
      const { id } = await ask('POST', '/collections/posts', { l: Array(count).fill(large.id) })
      return { method: 'GET', path: `/collections/posts/${id}?populate=l` }
    },
  })),
  {
    what: 'links to 300 documents of 900 KB',
    async prepare({ ask }) {
      await aDocument(ask, {})
      const ids = await largeDocuments(ask, 300)
      const { id } = await ask('POST', '/collections/posts', { l: ids })
      return { method: 'GET', path: `/collections/posts/${id}?populate=l` }
    },
  },
  ...['a', 'c', 'b'].map((dialect) => ({
    what: `a page of 300 documents of 900 KB, dialect ${dialect}`,
    /** @param {import('../../tools/dev.js').Dev} dev */
    async prepare({ ask }) {
      await aDocument(ask, {})
      await largeDocuments(ask, 300)
      const path = '/collections/posts/documents?limit=500'
      return { method: 'GET', path, headers: { 'svc-dialect': dialect } }
    },
  })),
  ...['a', 'c'].map((dialect) => ({
    what: `a page of 30 documents of 900 KB, dialect ${dialect}`,
    /** @param {import('../../tools/dev.js').Dev} dev */
    async prepare({ ask }) {
      await aDocument(ask, {})
      await largeDocuments(ask, 30)
      return { method: 'GET', path: '/collections/posts?limit=30', headers: { 'svc-dialect': dialect } }
    },
  })),
  {
    what: 'a path through 38 documents of 199,990 empty objects',
    async prepare({ ask }) {
      await aDocument(ask, {})
      const document = { items: Array(199_990).fill({}) }
      for (let made = 0; made < 40; made += 4) {
        await ask('POST', '/collections/posts/batch', { documents: Array(4).fill(document) })
      }
      return { method: 'GET', path: '/collections/posts?limit=38&populate=items.a' }
    },
  },
  {
    what: 'the description of the API in another dialect',
    prepare: async () => ({ method: 'GET', path: '/openapi.json?dialect=c,document=snake' }),
  },
]

/** @typedef {import('../../tools/dev.js').Dev['ask']} Ask */

/** The first document of its collection. @param {Ask} ask @param {object} fields @returns {Promise<{ id: string }>} */
async function aDocument(ask, fields) {
  await ask('POST', '/collections', { name: 'posts' })
  return ask('POST', '/collections/posts', fields)
}

/** @param {Ask} ask @param {number} count @returns {Promise<string[]>} */
async function largeDocuments(ask, count) {
  const ids = []
  while (ids.length < count) {
    const documents = Array.from({ length: 10 }, () => ({ text: 'x'.repeat(900_000) }))
    const made = await ask('POST', '/collections/posts/batch', { documents })
    ids.push(...made.map((/** @type {{ id: string }} */ { id }) => id))
  }
  return ids
}
