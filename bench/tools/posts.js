/** Generates the bench's documents: about 300 bytes each, with fields to filter and sort by. */

const words = 'a service on your own machine keeps what you give it and answers as soon as it can '

/** @param {number} number */
export function post(number) {
  return {
    title: `Post number ${number}`,
    status: number % 4 === 3 ? 'draft' : 'published',
    category: `category-${number % 100}`,
    views: (number * 7919) % 100_000,
    author: { name: `Author ${number % 50}`, city: 'Zürich' },
    tags: ['news', 'how-to', 'opinion'].slice(0, number % 4),
    text: words.repeat(2).slice(0, 150),
  }
}

/** @param {number} count @param {number} [first] */
export function posts(count, first = 0) {
  return Array.from({ length: count }, (_, at) => post(first + at))
}

/**
 * Fills a collection with batches. Creates it if necessary.
 *
 * @param {import('./dev.js').Dev} dev @param {string} collection @param {number} count @returns {Promise<string[]>}
 */
export async function fill(dev, collection, count) {
  await dev.ask('POST', '/collections', { name: collection }).catch(() => undefined)
  const ids = []
  for (let first = 0; first < count; first += 1_000) {
    const documents = posts(Math.min(1_000, count - first), first)
    const made = await dev.ask('POST', `/collections/${collection}/batch`, { documents })
    ids.push(...made.map((/** @type {{ id: string }} */ { id }) => id))
  }
  return ids
}
