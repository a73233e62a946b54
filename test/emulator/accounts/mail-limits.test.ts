/** How many mails an address gets, whatever is deleted by itself meanwhile. Contract 6.8. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { sql } from '../../../emulator/database/port.js'
import { controlOf } from '../../fixtures/requests/emulator-control.js'

let now = Date.parse('2030-01-01T00:00:00Z')
let service: Service
beforeAll(async () => {
  service = await openService({ ...defaultConfig, memory: true, now: () => new Date(now) })
})
afterAll(() => service.close())

const [email, password] = ['ada@example.com', 'Correct4Horse']
const minute = 60_000

async function post(path: string, body: object): Promise<number> {
  const headers = { 'x-api-key': service.apiKey, 'content-type': 'application/json' }
  return (await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).status
}

/** How many counts of attempts will have expired, and are still there. */
async function expiredBy(time: number): Promise<number> {
  const at = new Date(time).toISOString()
  return (await service.backend.db.query(sql`select from recent_attempts where expires_at <= ${at}`)).length
}

it('contract 6.8 reset mails of a day are counted for a day, also where what has expired is deleted', async () => {
  const { mail, projects } = controlOf(service)
  await projects.update({ project: service.project.id, settings: { rateLimit: { minute: 1_000 } } })
  await post('/auth-collections/signup', { email, password })
  const request = () => post('/auth/request-password-reset', { email })
  const newest = async () => (await mail.list({ to: email })).mails[0]?.refused ?? null
  for (let time = 0; time < 10; time++) {
    await request()
    now += minute
  }
  const tenth = await newest()
  await post('/auth-collections/login', { email, password: 'Wrong4Horse' })
  // A failed login counts for a quarter of an hour.
  const before = await expiredBy(now + 15 * minute)

  now += 15 * minute
  service.backend.sweepSoon()
  await expect.poll(() => expiredBy(now)).toBe(0)
  await request()

  expect([tenth, before]).toEqual([null, 1])
  expect(await newest()).toContain('ten a day')
})
