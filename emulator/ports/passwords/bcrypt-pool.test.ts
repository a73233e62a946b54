import { afterEach, expect, it } from 'vitest'
import { dummyHash, openBcryptPool } from './bcrypt-pool.js'
import type { Hasher } from './port.js'

let pool: Hasher
afterEach(() => pool.close())

/** Opens one worker with a queue of two for each kind. */
function openSmallPool() {
  pool = openBcryptPool({ workers: 1, maxWaiting: 2 })
  return pool
}

const home = '192.0.2.1'
const of = (account: string, address = home) => ({ address, account })
const hashPassword = (password: string, account: string) =>
  pool.hash(password, of(account)).then(() => 'hashed', refusal)
const refusal = ({ code, retryAfterSeconds }: { code: string; retryAfterSeconds?: number }) =>
  `${code} ${retryAfterSeconds}`

it('contract 6.6 the cost is ten, for the dummy hash too', async () => {
  openSmallPool()

  const hash = await pool.hash('Correct4Horse', of('ada'))

  expect([hash, dummyHash].map((text) => text.slice(0, 7))).toEqual([
    expect.stringMatching(/^\$2[by]\$10\$/),
    '$2b$10$',
  ])
})

it('bounds the queue and refuses further passwords at once', async () => {
  openSmallPool()

  const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => hashPassword(`password ${n}`, 'ada')))

  expect(answers).toEqual(['hashed', 'hashed', 'hashed', 'UNAVAILABLE 2', 'UNAVAILABLE 2', 'UNAVAILABLE 2'])
})

it('contract 6.12 an account that fills the queue makes room for others', async () => {
  openSmallPool()

  const adas = Array.from({ length: 4 }, (_, n) => hashPassword(`password ${n}`, 'ada'))
  const graces = hashPassword('password', 'grace')

  expect(await Promise.all(adas)).toEqual(['hashed', 'hashed', 'UNAVAILABLE 2', 'UNAVAILABLE 2'])
  expect(await graces).toBe('hashed')
})

it('accounts take turns', async () => {
  pool = openBcryptPool({ workers: 1 })
  const order: string[] = []
  const ask = (owner: string) => pool.hash('password', of(owner)).then(() => order.push(owner))

  await Promise.all(['ada', 'ada', 'ada', 'ada', 'grace', 'alan'].map(ask))

  expect(order).toEqual(['ada', 'ada', 'grace', 'alan', 'ada', 'ada'])
})

it('contract 6.12 an address with made-up accounts displaces only its own, and takes no turns from others', async () => {
  pool = openBcryptPool({ workers: 1, maxWaiting: 4 })
  const order: string[] = []
  const logIn = (account: string, address: string) =>
    pool.matches('password', null, of(account, address)).then(
      () => order.push(account),
      () => order.push(`${account} refused`),
    )

  const flood = Array.from({ length: 7 }, (_, n) => logIn(`made up ${n}`, '203.0.113.9'))
  const logins = ['ada', 'grace'].map((account) => logIn(account, home))
  await Promise.all([...flood, ...logins])

  const served = order.filter((account) => !account.endsWith('refused'))
  expect(served).toEqual(['made up 0', 'made up 1', 'ada', 'made up 2', 'grace'])
})

it('contract 10.12 new passwords take neither room nor turns from logins', async () => {
  openSmallPool()
  const order: string[] = []

  const hashes = Array.from({ length: 5 }, (_, n) =>
    pool.hash('password', of(`new ${n}`)).then(() => order.push('new'), refusal),
  )
  const logins = ['ada', 'grace'].map((owner) =>
    pool.matches('password', null, of(owner)).then(() => order.push('login')),
  )
  await Promise.all([...hashes, ...logins])

  expect(order).toEqual(['new', 'login', 'new', 'login', 'new'])
})

it('rejects waiting passwords when the pool closes', async () => {
  openSmallPool()
  const answers = [hashPassword('password', 'ada'), hashPassword('password', 'grace')]

  await pool.close()

  expect(await Promise.all(answers)).toEqual(['UNAVAILABLE undefined', 'UNAVAILABLE undefined'])
})
