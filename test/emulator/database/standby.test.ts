/** Eventually consistent reads go to a standby, with read-your-writes. */
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { type ClientOptions, createClient } from '../../../client/index.js'
import { defaultConfig } from '../../../emulator/config.js'
import { openService, type Service } from '../../../emulator/open-service.js'
import { type PostgresServer, startPostgres } from '../../fixtures/databases/postgres.js'
import { patiently } from '../../fixtures/patience.js'
import { type CuttingProxy, cuttingProxy } from '../../fixtures/proxies/cutting-proxy.js'

let primary: PostgresServer
let standby: PostgresServer
/** The standby's address, where it comes back on another port. */
let proxy: CuttingProxy
let service: Service
beforeAll(async () => {
  primary = await startPostgres()
  standby = await primary.standby()
  proxy = await cuttingProxy(standby.url)
  const databaseReadUrl = standby.url.replace(new URL(standby.url).host, new URL(proxy.url).host)
  service = await openService({ ...defaultConfig, memory: true, databaseUrl: primary.url, databaseReadUrl })
  await send('POST', '/collections', {}, { name: 'posts' })
})
afterAll(async () => {
  await service.close()
  await proxy.close()
  await standby.stop()
  await primary.stop()
})

async function send(method: string, path: string, headers: Record<string, string> = {}, body?: object) {
  const response = await fetch(service.url + path, {
    method,
    headers: { 'x-api-key': service.secretKey ?? '', 'content-type': 'application/json', ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return {
    status: response.status,
    position: response.headers.get('svc-position') ?? '',
    mayLag: response.headers.get('svc-consistency') === 'eventual',
    json: await response.json(),
  }
}

const eventual = { 'svc-consistency': 'eventual' }

async function onStandby(statement: string, { url } = standby): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

/** Creates a document; its path, and the database's position then. */
async function aPost() {
  const { json, position } = await send('POST', '/collections/posts/documents', {}, { title: 'Hello' })
  const { id } = json as { id: string }
  return { path: `/collections/posts/documents/${id}`, position }
}

it('a standby answers once it has what the reader wrote; before, the primary does', async () => {
  const old = await aPost()
  await expect.poll(() => send('GET', old.path, eventual), patiently).toMatchObject({ status: 200, mayLag: true })
  await onStandby('select pg_wal_replay_pause()')
  const { path, position } = await aPost()
  expect(position).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/)

  expect(await send('GET', path, eventual)).toMatchObject({ status: 404, mayLag: true })
  expect(await send('GET', path, { ...eventual, 'svc-position': position })).toMatchObject({
    status: 200,
    mayLag: false,
  })
  expect(await send('GET', path)).toMatchObject({ status: 200, mayLag: false })
  await onStandby('select pg_wal_replay_resume()')

  const reading = () => send('GET', path, { ...eventual, 'svc-position': position })
  await expect.poll(reading, patiently).toMatchObject({ status: 200, mayLag: true })
  const list = await send('GET', '/collections/posts/documents?limit=1', { ...eventual, 'svc-position': position })
  expect(list).toMatchObject({ status: 200, mayLag: true })
})

it('a standby that lags is asked for no permissions, neither for its own reads nor for those of the primary', async () => {
  await send('POST', '/collections', {}, { name: 'pay' })
  const { json } = await send('POST', '/collections/pay/documents', {}, { salary: 1 })
  const path = `/collections/pay/documents/${(json as { id: string }).id}`
  const anybody = { 'x-api-key': service.apiKey }
  const lagging = { ...anybody, ...eventual }
  await expect.poll(() => send('GET', path, lagging), patiently).toMatchObject({ status: 200, mayLag: true })
  await onStandby('select pg_wal_replay_pause()')
  await send('PATCH', '/collections/pay', {}, { permissions: { read: ['staff'], create: ['staff'] } })
  await send('POST', '/collections', {}, { name: 'young' })

  const read = await send('GET', path, lagging)
  const list = await send('GET', '/collections/pay/documents', lagging)
  const strong = await send('GET', path, anybody)
  const write = await send('POST', '/collections/pay/documents', anybody, { salary: 2 })
  const young = await send('GET', '/collections/young/documents', lagging)
  await onStandby('select pg_wal_replay_resume()')

  expect([read.status, list.status, strong.status, write.status]).toEqual([401, 401, 401, 401])
  expect(young).toMatchObject({ status: 200, mayLag: true, json: { documents: [], total: 0 } })
})

it('a standby that lags is asked for no permissions of linked documents either', async () => {
  await send('POST', '/collections', {}, { name: 'salaries' })
  await send('POST', '/collections', {}, { name: 'scores' })
  const link = async (collection: string) => {
    const { json } = await send('POST', `/collections/${collection}/documents`, {}, { n: 1, secret: 2 })
    return (json as { id: string }).id
  }
  const fields = { salary: await link('salaries'), score: await link('scores') }
  const { json } = await send('POST', '/collections/posts/documents', {}, fields)
  const { id } = json as { id: string }
  const path = `/collections/posts/documents/${id}?populate=salary&populate=score`
  const lagging = { 'x-api-key': service.apiKey, 'svc-dialect': 'c, record=bare', ...eventual }
  const whole = { id, salary: { n: 1, secret: 2 }, score: { n: 1, secret: 2 } }
  await expect.poll(() => send('GET', path, lagging), patiently).toMatchObject({ mayLag: true, json: whole })
  await onStandby('select pg_wal_replay_pause()')
  await send('PATCH', '/collections/salaries', {}, { permissions: { read: ['staff'] } })
  await send('PATCH', '/collections/scores', {}, { permissions: { hidden: { secret: ['staff'] } } })

  const read = await send('GET', path, lagging)
  await onStandby('select pg_wal_replay_resume()')

  expect(read).toMatchObject({ status: 200, mayLag: true, json: { salary: fields.salary, score: { n: 1 } } })
  expect(read.json).not.toHaveProperty('score.secret')
})

it('a filter through links is answered by the primary: a standby that lags would tell what is closed since, by its total', async () => {
  await send('POST', '/collections', {}, { name: 'people' })
  await send('POST', '/collections', {}, { name: 'teams' })
  await send('POST', '/collections', {}, { name: 'notes' })
  const link = async (collection: string) => {
    const { json } = await send('POST', `/collections/${collection}/documents`, {}, { salary: 5 })
    return (json as { id: string }).id
  }
  const fields = { author: await link('people'), team: await link('teams') }
  await send('POST', '/collections/notes/documents', {}, fields)
  const lagging = { 'x-api-key': service.apiKey, 'svc-dialect': 'c, record=bare', ...eventual }
  const list = (query: string) =>
    send('GET', `/collections/notes/documents?populate=author&populate=team&${query}`, lagging)
  const queries = ['author.salary__gte=5', 'team.salary__gte=5', '[or:a]author.salary__gte=5&[or:a]missing=1']
  for (const query of queries) await expect.poll(() => list(query), patiently).toMatchObject({ json: { total: 1 } })
  await expect.poll(() => list(''), patiently).toMatchObject({ mayLag: true, json: { total: 1 } })
  await onStandby('select pg_wal_replay_pause()')
  await send('PATCH', '/collections/people', {}, { permissions: { read: ['staff'] } })
  await send('PATCH', '/collections/teams', {}, { permissions: { hidden: { salary: ['staff'] } } })

  const filtered = await Promise.all(queries.map(list))
  const whole = await list('')
  await onStandby('select pg_wal_replay_resume()')

  expect(filtered).toMatchObject(queries.map(() => ({ status: 200, json: { documents: [], total: 0 } })))
  expect(whole).toMatchObject({ status: 200, mayLag: true, json: { total: 1 } })
})

it('a read that does not ask for a standby is of the primary, and so is one with an invalid position', async () => {
  const { path } = await aPost()

  expect(await send('GET', path)).toMatchObject({ status: 200, mayLag: false })
  expect(await send('GET', path, { 'svc-consistency': 'strong' })).toMatchObject({ status: 200, mayLag: false })
  expect(await send('GET', path, { ...eventual, 'svc-position': 'x' })).toMatchObject({ status: 200, mayLag: false })
})

it('one of several standbys behind a name answers nobody who wrote what it has not, and nobody once it is far behind', async () => {
  const slow = await primary.standby()
  onTestFinished(() => slow.stop())
  onTestFinished(() => void vi.restoreAllMocks())
  const { path } = await aPost()
  const write = (title: string) => send('PATCH', path, {}, { title })
  /** The titles that many readers at once are answered, whose connections lead to either, until a standby has answered. */
  const read = async (headers: Record<string, string> = {}) => {
    const titles = new Set<string>()
    const some = async () => {
      // Those who read without a position find out which connection leads to the standby that is not behind.
      await Promise.all(Array.from({ length: 30 }, () => send('GET', path, eventual)))
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => send('GET', path, { ...eventual, ...headers })),
      )
      for (const { json } of answers) titles.add((json as { data: { title: string } }).data.title)
      return answers.some(({ mayLag }) => mayLag)
    }
    await expect.poll(some, patiently).toBe(true)
    return [...titles].sort()
  }
  proxy.lead(standby.url, slow.url)
  proxy.cut()
  await read()
  await onStandby('select pg_wal_replay_pause()', slow)

  for (let round = 0; round < 3; round++) {
    const title = `title ${round}`
    const { position } = await write(title)
    expect(await read({ 'svc-position': position })).toEqual([title])
  }
  await onStandby('select pg_wal_replay_pause()')
  await write('last')
  const lag = () => service.backend.db.standby?.standing()[0]?.lagMilliseconds
  await expect.poll(lag, patiently).toBeGreaterThan(0)
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 11_000)
  await onStandby('select pg_wal_replay_resume()')
  expect(await read()).toEqual(['last'])

  vi.restoreAllMocks()
  proxy.lead(standby.url)
  proxy.cut()
})

it('a standby answers what the guide asks it', async () => {
  const guide = await readFile(new URL('../../../docs/guides/serve-operations.md', import.meta.url), 'utf8')
  const [, sample = ''] = /^(const reports = .*?)^```$/ms.exec(guide) ?? []
  const run = new Function('createClient', 'url', 'apiKey', `return (async () => { ${sample} return items })()`)
  const consistencies: (string | null)[] = []
  const recording: typeof fetch = async (...request) => {
    const answer = await fetch(...request)
    consistencies.push(answer.headers.get('svc-consistency'))
    return answer
  }
  const open = (options: ClientOptions) => createClient({ ...options, fetch: recording })
  await aPost()

  const ask = async () => {
    await run(open, service.url, service.secretKey)
    return consistencies.at(-1)
  }
  await expect.poll(ask, patiently).toBe('eventual')
})

it('a standby that dies is left out, and both that and its return are said once', async () => {
  const { path } = await aPost()
  const standing = () => service.backend.db.standby?.standing()
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
  expect(standing()).toMatchObject([{ isUp: true }])

  await standby.kill()

  for (let read = 0; read < 5; read++) expect(await send('GET', path, eventual)).toMatchObject({ status: 200 })
  await expect.poll(standing, patiently).toMatchObject([{ isUp: false }])
  expect(await send('GET', path, eventual)).toMatchObject({ status: 200, mayLag: false })
  const { host } = new URL(proxy.url)
  const gone = [expect.stringMatching(`^The standby ${host} does not answer, so the primary is read instead: .+`)]
  await expect.poll(() => warned.mock.calls, patiently).toEqual([gone])

  standby = await standby.again()
  proxy.lead(standby.url)

  await expect.poll(() => warned.mock.calls, patiently).toEqual([gone, [`The standby ${host} answers again`]])
  warned.mockRestore()
})
