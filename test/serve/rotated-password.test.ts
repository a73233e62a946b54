/** The database's password is changed while `svc serve` runs, by the file that its address comes from. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listenerName } from '../../emulator/ports/bus/outgoing.js'
import type { PostgresServer } from '../fixtures/databases/postgres.js'
import { patiently } from '../fixtures/patience.js'
import { aSubscriber, overWebSocket } from '../fixtures/realtime/subscriber.js'
import { openServeWorld, type ServeWorld } from '../fixtures/serve.js'

let world: ServeWorld
let standby: PostgresServer
beforeAll(async () => {
  world = await openServeWorld()
  const { url } = world.postgres
  // The fixture trusts whoever connects.
  await ask(
    url,
    `copy (values ('host all svc 127.0.0.1/32 trust'), ('host replication svc 127.0.0.1/32 trust'),
      ('host all all 127.0.0.1/32 scram-sha-256')) to '${(await ask(url, 'show hba_file'))[0].hba_file}'`,
  )
  await ask(url, 'select pg_reload_conf()')
  standby = await world.postgres.standby()
})
afterAll(async () => {
  await standby.stop()
  await world.close()
})

it.each([
  ['one server', 1],
  ['several servers', 2],
])('a password that is rotated in the file needs no restart: %s', async (_, count) => {
  const role = `app_${count}`
  const place = anAddress(await databaseOf(role), count)
  await place.write(`${role}:first-one`)
  const serving = await world.startWith(place.env)
  const { apiKey, secretKey, owner } = await serving.newProject()
  await owner.collections.create({ name: 'posts' })
  const subscriber = await aSubscriber(overWebSocket, { url: serving.url, apiKey, collection: 'posts' })
  const posts = owner.collection('posts')
  const titles: string[] = []
  /** Whether each connection is opened anew, as this user, and all goes on. */
  const goesOn = async (user: string, title: string) => {
    await endSessions()
    const { id } = await posts.create({ title })
    titles.push(title)
    await subscriber.untilHeard(titles.length)
    expect(subscriber.heard.map(({ document }) => document.data.title)).toEqual(titles)
    await expect.poll(() => listenersOf(user), patiently).toBe(1)
    await expect.poll(() => fromStandby(serving.url, secretKey, id), patiently).toBe(true)
  }

  await ask(world.postgres.url, `alter role ${role} password 'second-one'`)
  await place.write(`${role}:second-one`)
  await goesOn(role, 'with another password')

  await ask(world.postgres.url, `create role ${role}_next login password 'third-one' in role ${role}`)
  await ask(world.postgres.url, `alter role ${role}_next set role to ${role}`)
  await place.write(`${role}_next:third-one`)
  await ask(world.postgres.url, `alter role ${role} nologin`)
  await goesOn(`${role}_next`, 'as another user')

  await place.write(`${role}_next:third-one`, '127.0.0.1:1')
  await goesOn(`${role}_next`, 'beside a file that names another server')

  expect(await fetch(`${serving.adminUrl}/readyz`)).toMatchObject({ status: 200 })
  const { SVC_DATABASE_URL_FILE, SVC_DATABASE_READ_URL_FILE } = place.env
  const warned = serving.log().match(/[^"]* does not name the server/g)
  expect(warned?.map((words) => words.split(' ', 1)[0]).sort()).toEqual(
    [SVC_DATABASE_READ_URL_FILE, SVC_DATABASE_URL_FILE].sort(),
  )
  expect(serving.log()).not.toMatch(/-one/)
  await subscriber.stop()
  await serving.stop()
})

/** A database that belongs to a new role. */
async function databaseOf(role: string): Promise<string> {
  const { pathname } = new URL(await world.postgres.newDatabase())
  await ask(world.postgres.url, `create role ${role} login password 'first-one'`)
  await ask(world.postgres.url, `alter database ${pathname.slice(1)} owner to ${role}`)
  return pathname
}

/** Files with the addresses of the primary, or of several servers one of which it is, and of the standby. */
function anAddress(database: string, count: number) {
  const hosts = [world.postgres.url, standby.url].map((url) => new URL(url).host)
  const [SVC_DATABASE_URL_FILE, SVC_DATABASE_READ_URL_FILE] = ['write', 'read'].map((name) =>
    join(world.folder, `${database.slice(1)}-${name}`),
  ) as [string, string]
  return {
    env: { SVC_DATABASE_URL: '', SVC_DATABASE_URL_FILE, SVC_DATABASE_READ_URL_FILE },
    async write(credentials: string, elsewhere?: string) {
      const [primary, read] = [elsewhere ?? hosts.slice(0, count).join(), elsewhere ?? hosts.at(-1)]
      await writeFile(SVC_DATABASE_URL_FILE, `postgres://${credentials}@${primary}${database}\n`)
      await writeFile(SVC_DATABASE_READ_URL_FILE, `postgres://${credentials}@${read}${database}\n`)
    },
  }
}

/** Those of the service, on both servers. */
async function endSessions(): Promise<void> {
  for (const { url } of [world.postgres, standby]) {
    await ask(url, `select pg_terminate_backend(pid, 60000) from pg_stat_activity where usename like 'app%'`)
  }
}

async function listenersOf(user: string): Promise<number> {
  const sessions = await ask(
    world.postgres.url,
    `select from pg_stat_activity where application_name = '${listenerName}' and usename = '${user}'`,
  )
  return sessions.length
}

/** Whether the standby answers. */
async function fromStandby(url: string, apiKey: string, id: string): Promise<boolean> {
  const headers = { 'x-api-key': apiKey, 'svc-consistency': 'eventual' }
  const response = await fetch(`${url}/collections/posts/documents/${id}`, { headers })
  return response.ok && response.headers.get('svc-consistency') === 'eventual'
}

async function ask(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(statement).finally(() => client.end())
  return rows
}
