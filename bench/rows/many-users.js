/** What a million users cost: a login and a page of the list, next to a thousand of them. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import bcrypt from 'bcryptjs'
import { startContender } from '../tools/child.js'
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

const sizes = { small: 1_000, large: 1_000_000 }
const password = 'Correct4Horse'

/** @typedef {keyof typeof sizes} Size */

/** @param {Size} size */
const keyOf = (size) => `svc_key_bench_${size}`

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const folder = newPath()
  await (await startDev(folder)).stop()
  const bare = await startContender('contenders/pglite.js', [join(folder, 'data')])
  for (const size of /** @type {Size[]} */ (Object.keys(sizes))) await fill(bare, size)
  await bare.ask({ text: 'analyze', values: [[]], milliseconds: 0 })
  await bare.stop()

  const dev = await startDev(folder)
  /** @param {Size} size @param {string} method @param {string} path @param {unknown} [body] */
  const timeOf = async (size, method, path, body) => {
    const begunAt = performance.now()
    const answer = await fetch(dev.url + path, {
      method,
      headers: { 'x-api-key': keyOf(size), 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`)
    return performance.now() - begunAt
  }
  let turn = 0
  /** @param {Size} size */
  const credentials = (size) => ({ email: `user.${(turn++ % 500) + 1}@${size}.example`, password })
  const login = {
    small: () => timeOf('small', 'POST', '/auth-collections/login', credentials('small')),
    large: () => timeOf('large', 'POST', '/auth-collections/login', credentials('large')),
  }
  const page = {
    small: () => timeOf('small', 'GET', '/auth-collections/users?limit=20'),
    large: () => timeOf('large', 'GET', '/auth-collections/users?limit=20'),
  }
  const rows = [await row('login', login), await row('page of the list, newest, total', page)]
  await dev.stop()
  return rows
}

/** @param {string} what @param {Record<Size, () => Promise<number>>} times */
async function row(what, times) {
  /** @type {Record<Size, number[]>} */
  const medians = { small: [], large: [] }
  // A round is the median of some requests: single ones last too short to be compared.
  for (let round = 0; round < 5; round++) {
    const results = await inTurns(times, { rounds: 15, warmUps: 3 })
    medians.small.push(median(results.small))
    medians.large.push(median(results.large))
  }
  return {
    what: `${what}, 1,000,000 users`,
    against: '1,000 users',
    values: ratios(medians.large, medians.small),
    target: { atMost: 1.5 },
    figures: `${rounded(median(medians.large))} ms, ${rounded(median(medians.small))} ms`,
  }
}

/** A project of that many users, by the database itself. @param {import('../tools/child.js').Contender} bare @param {Size} size */
async function fill(bare, size) {
  const run = (/** @type {string} */ text, /** @type {string[]} */ values) =>
    bare.ask({ text, values: [values], milliseconds: 0 })
  const hash = createHash('sha256').update(keyOf(size)).digest('hex')
  await run(`insert into projects (id, name, settings, created_at) values ($1, $1, '{}', now())`, [size])
  await run('insert into sequences (project_id, last_seq) values ($1, 0)', [size])
  await run(
    `insert into project_keys (key_hash, project_id, id, secret, key, created_at) values ($1, $2, uuidv7(), false, $3, now())`,
    [hash, size, keyOf(size)],
  )
  const users = `insert into users
      (id, project_id, email, email_key, data, roles, email_verified, created_at, updated_at)
    select uuidv7(), $1, email, email, jsonb_build_object('username', 'user ' || n, 'age', n % 90), '[]', true, now(), now()
    from (select n, 'user.' || n || '@' || $1 || '.example' as email from generate_series($2::int, $3::int) as n) as fresh`
  for (let first = 1; first <= sizes[size]; first += 50_000) {
    await run(users, [size, String(first), String(Math.min(sizes[size], first + 49_999))])
  }
  await run('insert into user_counts (project_id, users) values ($1, $2::bigint)', [size, String(sizes[size])])
  await run(`insert into user_secrets (user_id, password_hash) select id, $2 from users where project_id = $1`, [
    size,
    bcrypt.hashSync(password, 10),
  ])
}
