import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../../client/index.js'
import type { Explanation } from '../../../client/snippets/explain.js'
import { bin, cleanEnv, hungMilliseconds, openWorld, type World } from '../command-line.js'

let world: World
let url = ''
let apiKey = ''
let post = ''
let token = ''
let user = ''

const ada = { email: 'ada@example.com', password: 'Correct4Horse' }

beforeAll(async () => {
  world = await openWorld()
  ;({ url, apiKey } = await world.dev('--memory'))
  const secret = (await world.svc(['project', 'key', '--secret', '--quiet'])).stdout.trim()
  const svc = createClient({ url, apiKey: secret })
  const schema = { title: { type: 'string', required: true }, likes: { type: 'integer' } } as const
  await svc.collections.create({ name: 'posts', schema, permissions: { update: ['editor'] } })
  await svc.collections.create({ name: 'orders', permissions: { readonly: { status: [] } } })
  post = (await svc.collection('posts').create({ title: 'Hello' })).id
  const client = createClient({ url, apiKey })
  await client.auth.signUp(ada)
  user = ((await world.json(['users', 'get', ada.email])) as { id: string }).id
  token = (await world.svc(['users', 'token', ada.email, '--quiet'])).stdout.trim()
})
afterAll(() => world.close())

/** Sends it, and answers the id of the request. */
async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await fetch(url + path, { method, headers: { 'x-api-key': apiKey, ...json, ...headers }, body: text })
  await answer.text()
  return { status: answer.status, id: answer.headers.get('x-request-id') ?? '' }
}

/** Runs it in a shell in the folder of the emulator. */
async function shell(command: string, input = '') {
  const script = `svc() { '${process.execPath}' '${bin}' "$@"; }\n${command}`
  return execa('bash', ['-eu', '-c', script], {
    ...{ cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, input, timeout: hungMilliseconds },
  })
}

interface Refusal {
  readonly status: number
  readonly what: string
  refuse(): Promise<{ status: number; id: string }>
  readonly missing: RegExp
  /** Which of the suggested fixes is taken. */
  readonly mend: RegExp
  readonly input?: string
}

const refusals: readonly Refusal[] = [
  {
    ...{ status: 401, what: 'a key of no project' },
    refuse: () => ask('GET', '/collections', undefined, { 'x-api-key': 'svc_key_wrong' }),
    ...{
      missing: /does not belong to any project/,
      mend: /^svc requests replay \S+ --header "x-api-key: \$\(svc project key/,
    },
  },
  {
    ...{ status: 403, what: 'a role that the user has not' },
    refuse: () => ask('PATCH', `/collections/posts/${post}`, { likes: 2 }, { authorization: `Bearer ${token}` }),
    ...{
      missing: /the role editor\. The caller has the roles authenticated/,
      mend: /^svc users update ada@example.com/,
    },
  },
  {
    ...{ status: 403, what: 'a field that is read-only' },
    refuse: () => ask('POST', '/collections/orders', { status: 'paid' }, { authorization: `Bearer ${token}` }),
    ...{
      missing: /To set "status" in "orders", you need the secret key\. The caller has the roles authenticated/,
      mend: /^svc requests replay \S+ --header "x-api-key: \$\(svc project key --secret/,
    },
  },
  {
    ...{ status: 404, what: 'a collection that is not there' },
    refuse: () => ask('GET', '/collections/drafts'),
    ...{ missing: /No collection "drafts"/, mend: /^svc collections create drafts$/ },
  },
  {
    ...{ status: 409, what: 'a name that is taken' },
    refuse: () => ask('POST', '/collections', { name: 'posts' }),
    ...{ missing: /The collection "posts" is already taken/, mend: /^svc requests replay \S+ name=posts2$/ },
  },
  {
    ...{ status: 412, what: 'another version' },
    refuse: () =>
      ask('PATCH', `/collections/posts/${post}`, { likes: 3 }, { authorization: `Bearer ${token}`, 'if-match': '"9"' }),
    ...{
      missing: /at version \d, but if-match requires 9\. It was never at that version/,
      mend: /^svc requests replay \S+ --header 'if-match: "\d"'$/,
    },
  },
  {
    ...{ status: 413, what: 'a document that is too deep' },
    refuse: () => ask('POST', '/collections/posts', `{"title":${'['.repeat(70)}${']'.repeat(70)}}`),
    ...{ missing: /The limit is 64 levels in a document/, mend: /^svc requests replay \S+ --body -$/ },
    input: '{"title":"Flat"}',
  },
  {
    ...{ status: 422, what: 'fields that the schema refuses' },
    refuse: () => ask('POST', '/collections/posts', { likes: 'many' }),
    ...{ missing: /The schema of "posts" refuses/, mend: /^svc requests replay \S+ .*likes:=1/ },
  },
  {
    ...{ status: 429, what: 'a rate limit that is used up' },
    async refuse() {
      await world.svc(['project', 'set', 'rateLimit:={"hour":2}'])
      for (let asked = await ask('GET', '/collections'); ; asked = await ask('GET', '/collections'))
        if (asked.status === 429) return asked
    },
    ...{ missing: /The limit of 2 requests per hour is reached/, mend: /^svc project set rateLimit=off$/ },
  },
]

test.each(refusals)(
  '$status for $what is found, understood, mended by the command that is named, and replayed',
  async ({ status, refuse, missing, mend, input }) => {
    const refused = await refuse()
    expect(refused.status).toBe(status)
    const listed = (await world.json(['requests', 'list', '--status', String(status)])) as { id: string }[]
    expect(listed[0]?.id).toBe(refused.id)

    const why = (await world.json(['requests', 'show', refused.id, '--why'])) as Explanation
    expect(why.missing).toMatch(missing)
    const command = why.mends.map((each) => each.command).find((each) => mend.test(each))
    expect(command, JSON.stringify(why.mends)).toBeDefined()
    expect((await world.svc(['requests', 'show', refused.id, '--why'])).stdout).toContain(`\n  ${command}\n`)
    await shell(command ?? 'false', input)

    // If the command itself was a replay, that replay succeeded.
    const [newest] = (await world.json(['requests', 'list', '--limit', '1'])) as { replayOf: string; status: number }[]
    if (newest?.replayOf === refused.id) expect(newest.status).toBeLessThan(300)
    else {
      const replayed = await world.json(['requests', 'replay', refused.id])
      expect(replayed).toMatchObject({ before: { status }, after: { status: 200, replayOf: refused.id } })
    }
  },
)

test('svc requests show tells all of a request, and nothing that opens something', async () => {
  const { id } = await ask('GET', '/collections/posts?likes__gte=1&orderBy=likes&order=desc', undefined, {
    authorization: `Bearer ${token}`,
  })

  const { stdout, exit } = await world.svc(['requests', 'show', id])

  expect(exit).toBe(0)
  for (const part of [
    'route    documents.list',
    'caller   ada@example.com',
    'timing',
    'statements',
    '"title": "Hello"',
  ])
    expect(stdout).toContain(part)
  expect(stdout).not.toContain(apiKey)
  expect(stdout).not.toContain(token)
  expect((await world.svc(['requests', 'show', id, '--plan'])).stdout).toMatch(/cost=/)
  expect((await world.svc(['requests', 'show', 'none'])).exit).toBe(4)
})

// Not every machine has curl.
const { failed: lacksCurl } = await execa('curl', ['--version'], { reject: false })

test.skipIf(lacksCurl)('svc requests show --format curl prints a command that does the same', async () => {
  const { id } = await ask('POST', '/collections/posts', { title: "It's <b>" })

  const { stdout: curl } = await world.svc(['requests', 'show', id, '--format', 'curl'])
  const { stdout } = await shell(`export SVC_API_KEY=${apiKey}\n${curl.replace('curl', 'curl -sS')}`)

  expect(JSON.parse(stdout)).toMatchObject({ data: { title: "It's <b>" } })
})

test('svc requests show --format client prints code that does the same', async () => {
  const { id } = await ask('POST', '/collections/posts', { title: "It's <b>" })

  const { stdout: code } = await world.svc(['requests', 'show', id, '--format', 'client'])
  expect(code).toBe("const document = await svc.collection('posts').create({ title: 'It\\'s <b>' })\n")
  const run = new Function('svc', `return (async () => { ${code}; return document })()`)
  expect(await run(createClient({ url, apiKey }))).toMatchObject({ data: { title: "It's <b>" } })
})

test('svc requests replay changes path, method, headers and fields, and shows what the answers differ in', async () => {
  const { id } = await ask('POST', '/collections/posts', { title: 'One', likes: 1 })

  const ran = await world.svc(['requests', 'replay', id, 'title=Two', '--header', 'svc-dialect: c'])

  expect(ran.exit).toBe(0)
  expect(ran.stdout).toMatch(/"One"\s+"Two"|body\.title/)
  expect(
    await world.json(['requests', 'replay', id, '--method', 'GET', '--path', `/collections/posts/${post}`]),
  ).toMatchObject({ after: { method: 'GET', status: 200 } })
  const { id: login } = await ask('POST', '/auth-collections/login', ada)
  const refused = await world.svc(['requests', 'replay', login])
  expect(refused.stderr).toContain('logins')
  expect(refused.stderr).toContain(`Show the request and its response: svc requests show ${login}`)
  expect(refused.stderr).not.toContain('Read it again')
  expect((await world.svc(['requests', 'replay', id, '--header', 'no header'])).exit).toBe(2)
})

test('svc requests export writes an HTTP archive without secrets', async () => {
  await ask('POST', '/auth-collections/login', ada)
  await ask('GET', '/collections', undefined, { authorization: `Bearer ${token}` })

  const ran = await world.svc(['requests', 'export', '--out', 'all.har'])

  expect(ran).toMatchObject({
    exit: 0,
    stdout: '',
    stderr: expect.stringMatching(/^Wrote \d+ requests to all\.har\.\n$/),
  })
  const file = join(world.folder, 'all.har')
  expect(existsSync(file) && statSync(file).mode & 0o077).toBe(0)
  const text = readFileSync(file, 'utf8')
  const { log } = JSON.parse(text)
  expect(log).toMatchObject({ version: '1.2', creator: { name: 'svc' } })
  const times = log.entries.map((entry: { startedDateTime: string }) => entry.startedDateTime)
  expect(times).toEqual([...times].sort())
  for (const secret of [apiKey, token, ada.password]) expect(text).not.toContain(secret)
})

interface Listed {
  readonly [name: string]: unknown
  readonly caller: { readonly user: unknown }
}

test.each<[string, string, (request: Listed) => boolean]>([
  ['--method', 'patch', ({ method }) => method === 'PATCH'],
  ['--path', '/collections/orders', ({ path }) => String(path).startsWith('/collections/orders')],
  ['--route', 'documents', ({ route }) => String(route).startsWith('documents')],
  ['--status', '404,5xx', ({ status }) => status === 404],
  ['--code', 'UNAUTHORIZED', ({ code }) => code === 'UNAUTHORIZED'],
  ['--user', ada.email, ({ caller }) => JSON.stringify(caller.user).includes(user)],
  ['--slow', '1h', () => false],
])('svc requests list and export %s %s show what fits alone', async (flag, value, fits) => {
  await ask('PATCH', `/collections/posts/${post}`, { likes: 2 }, { authorization: `Bearer ${token}` })
  await ask('POST', '/collections/orders', { n: 1 })
  await ask('GET', '/collections/none')
  await ask('GET', '/collections', undefined, { 'x-api-key': 'svc_key_wrong' })

  const all = (await world.json(['requests', 'list', '--limit', '1000'])) as Listed[]
  const listed = (await world.json(['requests', 'list', flag, value, '--limit', '1000'])) as Listed[]
  const { log } = (await world.json(['requests', 'export', flag, value])) as { log: { entries: unknown[] } }

  expect(listed.filter((request) => !fits(request))).toEqual([])
  expect(listed.map(({ id }) => id)).toEqual(all.filter(fits).map(({ id }) => id))
  expect(listed.length).toBeLessThan(all.length)
  expect(listed.length > 0).toBe(flag !== '--slow')
  expect(log.entries).toHaveLength(listed.length)
})

test('without an id, the newest request that was refused or failed is meant', async () => {
  const { id } = await ask('GET', '/collections/none')
  await ask('GET', '/collections')
  expect(await world.json(['requests', 'show'])).toMatchObject({ request: { id, status: 404 } })
})
