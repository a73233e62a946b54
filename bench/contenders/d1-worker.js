/** A handwritten worker with a database of its own: one fixed table, no keys, no users, no events. */

const columns = ['title', 'status', 'category', 'views', 'author', 'tags', 'text']
const insert = `insert into posts (id, ${columns.join(', ')}) values (?${', ?'.repeat(columns.length)})`

export default {
  /** @param {Request} request @param {{ DB: any }} env */
  async fetch(request, { DB }) {
    const { pathname, searchParams } = new URL(request.url)
    const id = pathname.split('/')[2]
    if (pathname === '/setup') return setUp(DB)
    if (pathname === '/batch') {
      const documents = /** @type {any[]} */ (await request.json()).map(stored)
      await DB.batch(documents.map((document) => DB.prepare(insert).bind(...values(document))))
      return Response.json(documents, { status: 201 })
    }
    if (request.method === 'POST') {
      const document = stored(await request.json())
      await DB.prepare(insert)
        .bind(...values(document))
        .run()
      return Response.json(document, { status: 201 })
    }
    if (request.method === 'PATCH') {
      const { views } = /** @type {any} */ (await request.json())
      const row = await DB.prepare('update posts set views = ? where id = ? returning *').bind(views, id).first()
      return row ? Response.json(row) : new Response(null, { status: 404 })
    }
    if (request.method === 'DELETE') {
      const { meta } = await DB.prepare('delete from posts where id = ?').bind(id).run()
      return new Response(null, { status: meta.changes === 1 ? 204 : 404 })
    }
    if (id) {
      const row = await DB.prepare('select * from posts where id = ?').bind(id).first()
      return row ? Response.json(row) : new Response(null, { status: 404 })
    }
    const category = searchParams.get('category')
    const [page, total] = await DB.batch([
      DB.prepare('select * from posts where category = ? order by views desc limit 20').bind(category),
      DB.prepare('select count(*) as total from posts where category = ?').bind(category),
    ])
    return Response.json({ data: page.results, total: total.results[0].total })
  },
}

/** @param {any} document */
function stored(document) {
  return { id: crypto.randomUUID(), ...document }
}

/** @param {any} document */
function values({ id, author, tags, ...rest }) {
  const document = { ...rest, author: JSON.stringify(author), tags: JSON.stringify(tags) }
  return [id, ...columns.map((column) => document[column])]
}

/** @param {any} DB */
async function setUp(DB) {
  await DB.prepare(`create table posts (id text primary key, ${columns.join(', ')})`).run()
  for (const column of ['category', 'views']) {
    await DB.prepare(`create index posts_${column} on posts (${column})`).run()
  }
  return new Response(null, { status: 204 })
}
