import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { send } from '../../fixtures/requests/http.js'

// Each test comes from an address of its own, and the clock stands still, so that no minute ends meanwhile.

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator({ memory: true, trustedProxies: 1, now: () => new Date('2030-01-01T00:00:30Z') })
})
afterAll(() => emulator.close())

function get(path: string, address: string, headers: Readonly<Record<string, string>> = {}) {
  return send(emulator.url, { method: 'GET', path, headers: { 'x-forwarded-for': address, ...headers } })
}

/** Some of the thousands of dialects, each another one. */
const dialects = ['a', 'b', 'c'].flatMap((name) =>
  ['enveloped', 'snake', 'flat'].flatMap((document) =>
    ['double', 'single', 'both'].flatMap((filters) =>
      ['page', 'array'].flatMap((list) =>
        ['past', 'plain'].flatMap((events) =>
          ['message', 'model'].flatMap((frames) =>
            ['small', 'large'].map((paging) =>
              Object.entries({ document, filters, list, events, frames, paging }).reduce(
                (text, [axis, form]) => `${text}, ${axis}=${form}`,
                name,
              ),
            ),
          ),
        ),
      ),
    ),
  ),
)

it.each(['/openapi.json', '/_svc/openapi.json'])(
  'contract 10.12 %s has the same text and etag each time, and others in another dialect',
  async (path) => {
    const first = await get(path, '198.51.100.1')
    const again = await get(path, '198.51.100.1')
    const other = await get(`${path}?dialect=b`, '198.51.100.1')
    const { etag = '' } = first.headers

    expect([first.status, again.status, other.status]).toEqual([200, 200, 200])
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    expect(again.headers.etag).toBe(etag)
    expect(again.text).toBe(first.text)
    expect(other.headers.etag).not.toBe(etag)
    const known = await get(path, '198.51.100.1', { 'if-none-match': etag })
    expect([known.status, known.text]).toEqual([304, ''])
    expect((await get(path, '198.51.100.1', { 'if-none-match': '"other"' })).status).toBe(200)
  },
)

it('contract 10.12 who asks for one dialect after another is refused in the end, and only for those', async () => {
  const [address, path] = ['198.51.100.2', '/_svc/openapi.json']
  const asked = (dialect = '') => get(`${path}?dialect=${encodeURIComponent(dialect)}`, address)
  const statuses: number[] = []
  for (const dialect of dialects) {
    const { status } = await asked(dialect)
    statuses.push(status)
    if (status !== 200) break
  }
  const made = statuses.length - 1

  expect(statuses.at(-1)).toBe(429)
  expect(made).toBeGreaterThanOrEqual(300)
  // Some were there before, as a shorter text of the same dialect.
  expect(made).toBeLessThan(310)
  for (let times = 0; times < 5; times++) expect((await asked(dialects[made - 1])).status).toBe(200)
  const refused = await asked(dialects[made])
  expect([refused.headers['svc-error-code'], Number(refused.headers['retry-after'])]).toEqual(['RATE_LIMITED', 30])
  expect((await get(`${path}?dialect=${encodeURIComponent(dialects[made] ?? '')}`, '198.51.100.3')).status).toBe(200)
  // Failures have their own budget.
  const headers = { 'x-forwarded-for': address, 'content-type': 'application/json' }
  const failed = { method: 'POST', path: '/auth/verify-email', headers, body: '{"token":"x"}' }
  expect((await send(emulator.url, failed)).status).toBe(401)
})
