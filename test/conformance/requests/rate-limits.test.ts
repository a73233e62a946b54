import { expect, test } from 'vitest'
import { aTown } from '../../fixtures/accounts.js'
import type { Answer } from '../../fixtures/requests/http.js'
import { send } from '../../fixtures/requests/http.js'
import { aProject, apiOf, changeSettings, type Project, type Settings, service } from '../../fixtures/service.js'
import { aWorld, expectFailure, expectStatus, inDialects } from '../../fixtures/wires.js'

/** The specification's figures: by window, by tier. */
const figures = [
  ['minute', 'standard', 100],
  ['minute', 'pro', 1_000],
  ['hour', 'free', 1_000],
  ['hour', 'pro', 10_000],
  ['day', 'free', 1_000],
  ['day', 'pro', 100_000],
] as const
const seconds = { minute: 60, hour: 3_600, day: 86_400 }

/**
 * Does that within one window of the clock, anew where the window ended meanwhile. Answers when it ends, in Unix seconds, too.
 */
async function inOneWindow<T>(window: keyof typeof seconds, act: () => Promise<T>): Promise<[done: T, end: number]> {
  for (;;) {
    const endsAt = () => (Math.floor(Date.now() / 1_000 / seconds[window]) + 1) * seconds[window]
    const end = endsAt()
    const done = await act()
    if (endsAt() === end) return [done, end]
  }
}

inDialects('Rate limits', (wire, { once }) => {
  once('LIM-01 are off by default, and no header tells of them', async () => {
    const { api } = await aWorld(wire)

    const answers = await Promise.all(Array.from({ length: 120 }, () => api.get('/collections')))

    for (const { status, headers } of answers) {
      expect(status).toBe(200)
      expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
    }
  })

  test.each(figures)('LIM-01 per %s, tier %s: %i', async (window, tier, limit) => {
    const [answer, end] = await inOneWindow(window, async () => {
      const { api } = await aWorld(wire, { rateLimit: [window], tier })
      return api.get('/collections')
    })

    expect(stateOf(expectStatus(200, answer))).toEqual({ limit, remaining: limit - 1, reset: end })
  })

  test.each([
    ['minute', 'enterprise'],
    ['day', 'enterprise'],
    ['minute', 'free'],
    ['hour', 'standard'],
    ['hour', 'enterprise'],
    ['day', 'standard'],
  ])('contract 10.1 per %s, tier %s has no figure, and the pair is refused', async (window, tier) => {
    const [byWindow, byTier] = [await aProject({ tier }), await aProject({ rateLimit: { day: 5 } })]
    const { project } = await aWorld(wire, { rateLimit: 'off' })

    const answers = [
      await patchSettings(byWindow, { rateLimit: [window] }),
      await patchSettings(byTier, { rateLimit: [window], tier }),
      await patchSettings(project, { rateLimit: [window, 'minute'], tier }),
    ]

    for (const answer of answers) {
      expectFailure(answer, 422, 'VALIDATION_ERROR')
      expect(answer.body).toMatchObject({ error: { issues: [{ loc: ['body', 'settings', 'rateLimit'] }] } })
    }
    await changeSettings(byWindow, { rateLimit: { [window]: 5 } })
  })

  test('contract 10.1 a tier under which the windows that are on have no figure is refused', async () => {
    const { api, project } = await aWorld(wire, { rateLimit: ['minute'], tier: 'pro' })

    expectFailure(await patchSettings(project, { tier: 'free' }), 422, 'VALIDATION_ERROR')
    expect(stateOf(await api.get('/collections'))).toMatchObject({ limit: 1_000 })
    await changeSettings(project, { tier: 'free', rateLimit: ['hour'] })
    await changeSettings(project, { tier: 'enterprise', rateLimit: { minute: 3 } })
  })

  once('LIM-02 headers count down, and one too many is 429 with retry-after', async () => {
    const [{ answers, before, after }, end] = await inOneWindow('hour', async () => {
      const { api } = await aWorld(wire, { rateLimit: { hour: 3 } })
      const answers = []
      const before = Date.now() / 1_000
      for (let times = 0; times < 5; times++) answers.push(await api.get('/collections'))
      return { answers, before, after: Date.now() / 1_000 }
    })

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429])
    expect(answers.map((answer) => stateOf(answer).remaining)).toEqual([2, 1, 0, 0, 0])
    expect(answers.map((answer) => stateOf(answer).reset)).toEqual(answers.map(() => end))
    for (const answer of answers.slice(3)) {
      expectFailure(answer, 429, 'RATE_LIMITED')
      const wait = Number(answer.headers['retry-after'])
      expect(wait).toBeGreaterThanOrEqual(Math.ceil(end - after))
      expect(wait).toBeLessThanOrEqual(Math.ceil(end - before))
    }
  })

  once('LIM-02 every limited response has the headers, failures too', async () => {
    const [answers] = await inOneWindow('hour', async () => {
      const { api } = await aWorld(wire, { rateLimit: { hour: 100 } })
      return [
        await api.get('/collections/nowhere/documents'),
        await api.post('/collections', '{'),
        await api.post('/collections', { name: 'a b' }),
        await api.post('/collections', { name: 'posts' }),
        await api.get(`${wire.listPath('posts')}?limit=x`),
      ]
    })

    expect(answers.map((answer) => stateOf(answer).remaining)).toEqual([99, 98, 97, 96, 95])
  })

  once('contract 10.1 of several windows the tightest fills the headers', async () => {
    const { api } = await aWorld(wire, { rateLimit: { minute: 50, hour: 3, day: 1_000 } })

    expect(stateOf(await api.get('/collections'))).toMatchObject({ limit: 3, remaining: 2 })
  })

  once('contract 10.1 each key is counted by itself', async () => {
    const [statuses] = await inOneWindow('hour', async () => {
      const { api, owner } = await aWorld(wire, { rateLimit: { hour: 2 } })
      const other = await aWorld(wire, { rateLimit: { hour: 2 } })
      const statuses = []
      for (const who of [api, owner, other.api]) {
        for (let times = 0; times < 3; times++) statuses.push((await who.get('/collections')).status)
      }
      return statuses
    })

    expect(statuses).toEqual([200, 200, 429, 200, 200, 429, 200, 200, 429])
  })

  once('contract 10.1 user tokens without a key are counted together, apart from the keys', async () => {
    const [statuses] = await inOneWindow('day', async () => {
      const town = await aTown(wire)
      const [ada, grace] = [await town.anAccount(), await town.anAccount()]
      await changeSettings(town.project, { rateLimit: { day: 2 } })
      const statuses: number[] = []
      for (const { api } of [ada, grace, ada, grace, town, town, town])
        statuses.push((await api.get('/collections')).status)
      return statuses
    })

    expect(statuses).toEqual([200, 200, 429, 429, 200, 200, 429])
  })

  once('LIM-03 the figures are the project’s choice, and can be changed', async () => {
    const [{ api, project, statuses }] = await inOneWindow('hour', async () => {
      const { api, project } = await aWorld(wire, { rateLimit: { hour: 1 } })
      const statuses = [(await api.get('/collections')).status, (await api.get('/collections')).status]
      return { api, project, statuses }
    })
    expect(statuses).toEqual([200, 429])

    await changeSettings(project, { rateLimit: { hour: 10 } })
    expectStatus(200, await api.get('/collections'))
    await changeSettings(project, { rateLimit: 'off' })

    expect((await api.get('/collections')).headers['x-ratelimit-limit']).toBeUndefined()
  })
})

test('LIM-03 page sizes are a choice too: the paging axis', async () => {
  const { apiKey } = await aProject()
  const ask = async (dialect: string) => {
    const api = apiOf({ 'x-api-key': apiKey }, dialect)
    return (await api.get('/collections/posts/documents?limit=1000')).body as { limit: number }
  }
  await apiOf({ 'x-api-key': apiKey }, 'a').post('/collections', { name: 'posts' })

  expect((await ask('a')).limit).toBe(100)
  expect((await ask('a, paging=large')).limit).toBe(500)
  expect((await ask('b, list=page, paging=small')).limit).toBe(100)
})

test('LIM-03 a setting that is none of the choices is refused', async () => {
  const create = (settings: unknown) =>
    send(service.url, {
      method: 'POST',
      path: '/_svc/api/projects',
      headers: { 'svc-control-token': service.controlToken, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'x', settings }),
    })

  for (const settings of [
    { rateLimit: 'on' },
    { rateLimit: ['week'] },
    { rateLimit: { minute: -1 } },
    { rateLimit: { minute: 'x' } },
    { rateLimit: [] },
    { rateLimit: {} },
    { documentFiles: 'any' },
    { tier: 'gold' },
    { dialect: 5 },
    { allowedOrigins: 'https://app.example' },
    { allowedOrigins: ['null'] },
    { allowedOrigins: ['*'] },
    { allowedOrigins: ['https://*.app.example'] },
    { allowedOrigins: ['https://user:pass@app.example'] },
    { allowedOrigins: ['https://app.example/page'] },
    { nonsense: 1 },
  ]) {
    const { status } = await create(settings)
    expect({ settings, status }).toEqual({ settings, status: 422 })
  }
  const unknown = await create({ dialect: 'z' })
  expect([400, 422]).toContain(unknown.status)
})

test('contract 10.1 a refused rate limit says what the setting takes', async () => {
  const project = await aProject()

  for (const rateLimit of ['on', 'minute', ['week'], { week: 5 }, [], {}]) {
    const { body } = await patchSettings(project, { rateLimit })
    const words = expect.stringMatching(/"off".*\["minute"\].*\["hour"\].*\["day"\].*\{"minute": 100\}/)
    expect(body).toMatchObject({ error: { message: words } })
  }
})

test('contract 10.5 a refused origin says what the setting takes', async () => {
  const project = await aProject()
  const good = ['https://app.example', 'http://localhost:3000', 'http://[::1]:3000', 'capacitor://localhost', 'app://x']

  expect((await patchSettings(project, { allowedOrigins: good })).status).toBe(200)
  for (const origin of [
    'https://*.app.example',
    'https://user:pass@app.example',
    'https://app.example/',
    'app.example',
  ]) {
    const { body } = await patchSettings(project, { allowedOrigins: [origin] })
    const words = expect.stringMatching(/https:\/\/app\.example.*without wildcards, paths, user names or passwords/)
    expect(body).toMatchObject({ error: { code: 'VALIDATION_ERROR', message: words } })
  }
})

function patchSettings({ id }: Project, settings: Settings) {
  return send(service.url, {
    method: 'PATCH',
    path: `/_svc/api/projects/${id}`,
    headers: { 'svc-control-token': service.controlToken, 'content-type': 'application/json' },
    body: JSON.stringify({ settings }),
  })
}

function stateOf({ headers }: Answer) {
  const figure = (name: string) => Number(headers[`x-ratelimit-${name}`])
  return { limit: figure('limit'), remaining: figure('remaining'), reset: figure('reset') }
}
