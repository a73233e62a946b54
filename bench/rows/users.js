/** Logins beside bare bcryptjs, and what they and their tokens cost other requests. */
import { startContender } from '../tools/child.js'
import { startDev } from '../tools/dev.js'
import { newPath } from '../tools/folders.js'
import { startLoad } from '../tools/load.js'
import { fill } from '../tools/posts.js'
import { inTurns, median, ratios, rounded } from '../tools/rounds.js'

const password = 'Correct4Horse'
const milliseconds = 3_000

/** @returns {Promise<import('../tools/table.js').Row[]>} */
export async function measure() {
  const dev = await startDev(newPath())
  const bare = await startContender('contenders/bcrypt.js')
  const [load, second] = await Promise.all([startLoad(), startLoad()])
  const [id] = await fill(dev, 'posts', 100)
  const emails = Array.from({ length: 50 }, (_, at) => `user.${at}@example.com`)
  const tokens = []
  for (const email of emails) {
    tokens.push((await dev.ask('POST', '/auth-collections/signup', { email, password })).token)
  }

  const headers = { ...dev.headers, 'content-type': 'application/json' }
  const logins = emails.map((email) => ({
    method: 'POST',
    path: '/auth-collections/login',
    headers,
    body: JSON.stringify({ email, password }),
  }))
  const path = `/collections/posts/${id}`
  const byKey = [{ method: 'GET', path, headers: dev.headers }]
  const byToken = tokens.map((token) => ({ method: 'GET', path, headers: { authorization: `Bearer ${token}` } }))
  const { port } = dev

  const login = await inTurns({
    bare: async () => (await bare.ask({ milliseconds })).perSecond,
    svc: async () => (await load.drive({ port, connections: 50, milliseconds, asks: logins })).perSecond,
  })
  const get = await inTurns({
    key: async () => (await load.drive({ port, connections: 50, milliseconds, asks: byKey })).perSecond,
    token: async () => (await load.drive({ port, connections: 50, milliseconds, asks: byToken })).perSecond,
  })
  const beside = await inTurns({
    calm: async () => (await second.drive({ port, connections: 10, milliseconds, asks: byKey })).p99,
    busy: async () => {
      const logging = load.drive({ port, connections: 50, milliseconds, asks: logins })
      const { p99 } = await second.drive({ port, connections: 10, milliseconds: milliseconds - 500, asks: byKey })
      await logging
      return p99
    },
  })
  await Promise.all([dev.stop(), bare.stop(), load.stop(), second.stop()])

  return [
    {
      what: 'logins, 50 connections',
      against: 'bcryptjs alone, as many workers',
      values: ratios(login.svc, login.bare),
      target: { atLeast: 0.85 },
      figures: `${rounded(median(login.svc))}/s, ${rounded(median(login.bare))}/s`,
    },
    {
      what: 'p99 of get while 50 logins are in flight',
      against: 'p99 without',
      values: ratios(beside.busy, beside.calm),
      target: { atMost: 3 },
      figures: `${rounded(median(beside.busy))} ms, ${rounded(median(beside.calm))} ms`,
    },
    {
      what: 'get by id with a user token, 50 connections',
      against: 'with a key',
      values: ratios(get.token, get.key),
      target: { atLeast: 0.9 },
      figures: `${rounded(median(get.token))}/s, ${rounded(median(get.key))}/s`,
    },
  ]
}
