/** Starts, fills, and queries similar services through their own APIs. */
import { startContender } from './child.js'
import { startDev } from './dev.js'
import { newPath } from './folders.js'
import { startPostgres } from './postgres.js'
import { post, posts } from './posts.js'

/** @typedef {import('../load.js').Ask} Ask */
/**
 * @typedef {{
 *   port: number,
 *   create: Ask,
 *   list: Ask,
 *   get: (id: string) => Ask,
 *   update: (id: string) => Ask,
 *   remove: (id: string) => Ask,
 *   idOf: (answer: any) => string,
 *   stop: () => Promise<unknown>,
 * }} Service
 */

const category = 'category-7'
const newPost = JSON.stringify(post(1))
const change = JSON.stringify({ views: 7 })

/** @type {Record<string, () => Promise<Service>>} */
export const services = {
  async svc() {
    const dev = await startDev(newPath())
    await dev.ask('POST', '/collections', { name: 'posts' })
    return { ...svcAsks(dev), port: dev.port, stop: dev.stop }
  },

  async PocketBase() {
    const { port, stop } = await startContender('contenders/pocketbase.js', [newPath()])
    const path = '/api/collections/posts/records'
    return {
      ...{ port, stop, idOf: ({ id }) => id },
      ...restAsks(path, { update: 'PATCH' }),
      list: { method: 'GET', path: `${path}?filter=(category='${category}')&sort=-views&perPage=20` },
    }
  },

  async 'parse-server on PostgreSQL'() {
    const postgres = await startPostgres()
    const { port, stop } = await startContender('contenders/parse-server.js', [postgres.url, newPath()])
    const headers = { 'x-parse-application-id': 'bench', 'x-parse-master-key': 'bench-master' }
    const where = encodeURIComponent(JSON.stringify({ category }))
    const path = '/parse/classes/posts'
    return {
      ...{ port, idOf: ({ objectId }) => objectId },
      ...restAsks(path, { update: 'PUT', headers }),
      list: { method: 'GET', path: `${path}?where=${where}&order=-views&limit=20&count=1`, headers },
      stop: () => stop().then(postgres.stop),
    }
  },
}

/** @param {import('./dev.js').Dev} dev */
function svcAsks({ headers }) {
  const path = '/collections/posts'
  return {
    ...restAsks(path, { update: 'PATCH', headers }),
    idOf: (/** @type {{ id: string }} */ { id }) => id,
    list: { method: 'GET', path: `${path}?category=${category}&orderBy=views&order=desc&limit=20`, headers },
  }
}

/**
 * Returns the requests that most services share.
 *
 * @param {string} path @param {{ update: string, headers?: Record<string, string> }} differences
 */
function restAsks(path, { update, headers = {} }) {
  const at = (/** @type {string} */ method, /** @type {string} */ id) => ({ method, path: `${path}/${id}`, headers })
  return {
    create: { method: 'POST', path, headers, body: newPost },
    get: (/** @type {string} */ id) => at('GET', id),
    update: (/** @type {string} */ id) => ({ ...at(update, id), body: change }),
    remove: (/** @type {string} */ id) => at('DELETE', id),
  }
}

/**
 * Creates documents, fifty at a time, and returns their ids.
 *
 * @param {Service} service @param {number} count @returns {Promise<string[]>}
 */
export async function fillOneByOne({ port, create, idOf }, count) {
  const ids = []
  for (let first = 0; first < count; first += 50) {
    ids.push(
      ...(await Promise.all(
        posts(50, first).map(async (document) => {
          const answer = await fetch(`http://127.0.0.1:${port}${create.path}`, {
            method: 'POST',
            headers: { ...create.headers, 'content-type': 'application/json' },
            body: JSON.stringify(document),
          })
          if (!answer.ok) throw new Error(`${create.path}: ${answer.status} ${await answer.text()}`)
          return idOf(await answer.json())
        }),
      )),
    )
  }
  return ids
}
