/** `svc pull --redact`. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Client } from '../../../client/index.js'
import { idOf, openTwoServices, staging, type TwoServices } from './two-services.js'

let two: TwoServices
let world: TwoServices['world']
let here: TwoServices['here']
let there: TwoServices['there']

beforeEach(async () => {
  two = await openTwoServices()
  ;({ world, here, there } = two)
})
afterEach(() => two.close())

test('redacted fields come as substitutes, are no difference, and no push writes them', async () => {
  await there.collections.create({ name: 'people' })
  const data = { title: 'Ada', email: 'ada@example.org', at: { street: 'Main St 1', city: 'London' }, age: 36 }
  await there
    .collection('people')
    .createMany([data, { ...data, title: 'Eva' }, { ...data, title: 'Bob', email: 'bob@example.org' }])
  const redact = ['--redact', 'people.email', '--redact', 'people.at.street', '--redact', 'people.age']

  await world.json(['pull', ...staging, ...redact])
  const pulled = (await here.collection('people').list({ sort: 'title' })).items.map((one) => one.data)
  const diff = await world.svc(['diff', '--profile', 'staging'])
  await here
    .collection('people')
    .update(await idOf(here, 'people', 'Ada'), { title: 'Ada L.', at: { street: 'x', city: 'Paris' } })
  await world.json(['push', ...staging])
  const ada = await there.collection('people').get(await idOf(there, 'people', 'Ada L.'))
  // The rule outlives the field.
  for await (const one of there.collection('people').iterate()) {
    const { email: _, ...rest } = one.data
    await there.collection('people').replace(one.id, { ...rest })
  }
  const later = await world.svc(['pull', ...staging])

  const email = expect.stringMatching(/^redacted-[0-9a-f]{12}@example\.com$/)
  const at = { street: expect.stringMatching(/^redacted-[0-9a-f]{12}$/), city: 'London' }
  expect(pulled).toEqual(['Ada', 'Bob', 'Eva'].map((title) => ({ title, email, at, age: 0 })))
  expect(pulled[0]?.email).toBe(pulled[2]?.email)
  expect(pulled[0]?.email).not.toBe(pulled[1]?.email)
  expect(diff.exit).toBe(0)
  expect(later.exit).toBe(0)
  expect(ada.data).toEqual({ ...data, title: 'Ada L.', at: { street: 'Main St 1', city: 'Paris' } })
})

test('a push of another field leaves what is redacted as it is there: a value, nothing, and what is in arrays', async () => {
  await there.collections.create({ name: 'people' })
  const phones = [{ number: '1' }, { number: '2' }]
  await there.collection('people').createMany([
    { title: 'Ada', email: 'ada@example.org', phones },
    { title: 'Bob', at: { city: 'Bern' } },
  ])
  const redact = ['people.email', 'people.phones.number'].flatMap((field) => ['--redact', field])
  await world.json(['pull', ...staging, ...redact])
  const pulled = await here.collection('people').get(await idOf(here, 'people', 'Ada'))
  for (const title of ['Ada', 'Bob']) {
    await here.collection('people').update(await idOf(here, 'people', title), { seen: true, email: 'mine@example.com' })
  }
  await there.collection('people').update(await idOf(there, 'people', 'Bob'), { email: 'bob@example.org' })
  await there.collection('people').replace(await idOf(there, 'people', 'Bob'), { title: 'Bob', at: { city: 'Bern' } })

  await world.json(['push', ...staging])

  const [ada, bob] = (await there.collection('people').list({ sort: 'title' })).items.map(({ data }) => data)
  expect(pulled.data.phones).toEqual([])
  expect(ada).toEqual({ title: 'Ada', email: 'ada@example.org', phones, seen: true })
  expect(bob).toEqual({ title: 'Bob', at: { city: 'Bern' }, seen: true })
})

test.each([
  [
    'a field that no document has',
    ['people.emial'],
    4,
    'Cannot redact "emial": no document of "people" has this field',
  ],
  ['a collection that is not there', ['peple.email'], 2, '--redact names "peple", which is not pulled'],
  ['no field', ['people'], 2, 'Invalid --redact "people"'],
])('--redact of %s is refused before anything is written', async (_, fields, exit, words) => {
  await there.collections.create({ name: 'people' })
  await there.collection('people').create({ title: 'Ada', email: 'ada@example.org' })

  const ran = await world.svc(['pull', ...staging, ...fields.flatMap((field) => ['--redact', field])])

  expect(ran).toMatchObject({ exit, stderr: expect.stringContaining(words) })
  expect(await here.collections.list()).toEqual([])
})

test('what is here with its real values cannot be redacted afterwards', async () => {
  await there.collections.create({ name: 'people' })
  await there.collection('people').create({ title: 'Ada', email: 'ada@example.org' })
  await world.json(['pull', ...staging])

  const ran = await world.svc(['pull', ...staging, '--redact', 'people.email'])

  expect(ran).toMatchObject({ exit: 5, stderr: expect.stringContaining('was pulled before with "email" unredacted') })
})

const redactEmail = ['--redact', 'people.email']
const substitute = expect.stringMatching(/^redacted-[0-9a-f]{12}@example\.com$/)

async function createPeople(client: Client): Promise<void> {
  await client.collections.create({ name: 'people' })
  await client.collection('people').createMany([
    { title: 'Ada', email: 'ada@example.org' },
    { title: 'Bob', email: 'bob@example.org' },
  ])
}

async function peopleOf(client: Client) {
  return (await client.collection('people').list({ sort: 'title' })).items.map(({ data }) => data)
}

test.each([
  ['here', () => here.collections.delete('people')],
  ['there', () => there.collections.delete('people').then(() => createPeople(there))],
])(
  'a collection that was deleted %s, and is made again, comes with substitutes without being told',
  async (_, renew) => {
    await createPeople(there)
    await world.json(['pull', ...staging, ...redactEmail])
    await renew()

    const pulled = await world.svc(['pull', ...staging])

    expect(pulled).toMatchObject({ exit: 0, stderr: expect.stringContaining('Redacted in "people"') })
    const people = await peopleOf(here)
    expect(people.length).toBeGreaterThanOrEqual(2)
    for (const { email } of people) expect(email).toEqual(substitute)
  },
)

test('what a push creates has no substitutes, in a collection that is made again and where a document is', async () => {
  await createPeople(there)
  await world.json(['pull', ...staging, ...redactEmail])
  await there.collections.delete('people')

  const pushed = await world.svc(['push', 'people', ...staging])
  const created = await peopleOf(there)
  await there.collection('people').delete(await idOf(there, 'people', 'Bob'))
  const forced = await world.json(['push', ...staging, '--force'])

  expect(pushed).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('New documents in "people" are created without redacted fields: email.'),
  })
  expect(created).toEqual([{ title: 'Ada' }, { title: 'Bob' }])
  expect(forced).toMatchObject({ created: 1, updated: 0 })
  expect(await peopleOf(there)).toEqual(created)
  expect((await peopleOf(here)).map(({ email }) => email)).toEqual([substitute, substitute])
  expect((await world.svc(['diff', '--profile', 'staging'])).exit).toBe(0)
})

test('--unredact brings a field as it is, into a collection that is not here, and later pulls do too', async () => {
  await createPeople(there)
  await world.json(['pull', ...staging, ...redactEmail])

  const early = await world.svc(['pull', ...staging, '--unredact', 'people.email'])
  await here.collections.delete('people')
  await world.json(['pull', ...staging, '--unredact', 'people.email'])
  const first = await peopleOf(here)
  await here.collections.delete('people')
  await world.json(['pull', ...staging])

  expect(early).toMatchObject({ exit: 5, stderr: expect.stringContaining('"people" has substitutes in the emulator') })
  expect(first).toEqual(await peopleOf(there))
  expect(await peopleOf(here)).toEqual(first)
})

test('what was redacted in one project is as it is in another one at the same address', async () => {
  await createPeople(there)
  await world.json(['pull', ...staging, ...redactEmail])
  await here.collections.delete('people')
  await createPeople(here)
  const people = await peopleOf(here)
  const other = await two.addProject('other')
  const profile = ['--profile', 'other', '--yes']

  const pushed = await world.svc(['push', ...profile])
  const created = await peopleOf(other)
  await here.collections.delete('people')
  await world.json(['pull', ...profile])
  const pulled = await peopleOf(here)
  await here.collections.delete('people')
  await world.json(['pull', ...staging])

  expect(pushed).toMatchObject({ exit: 0, stderr: expect.not.stringContaining('Left out') })
  expect(created).toEqual(people)
  expect(pulled).toEqual(people)
  expect((await peopleOf(here)).map(({ email }) => email)).toEqual([substitute, substitute])
})

test('a collection that merely has the name of one that was redacted is pushed whole, and pulled into with substitutes', async () => {
  await createPeople(there)
  await world.json(['pull', ...staging, ...redactEmail])
  await here.collections.delete('people')
  await here.collections.create({ name: 'people' })
  const eva = await here.collection('people').create({ title: 'Eva', email: 'eva@example.org' })

  await world.json(['push', ...staging])
  await here.collection('people').update(eva.id, { email: 'eva@example.com' })
  await world.json(['push', ...staging])
  const pushed = await peopleOf(there)
  const pulled = await world.svc(['pull', ...staging])

  expect(pushed[2]).toEqual({ title: 'Eva', email: 'eva@example.com' })
  expect(pulled).toMatchObject({ exit: 0, stderr: expect.stringContaining('Redacted in "people"') })
  expect((await peopleOf(here)).map(({ email }) => email)).toEqual([substitute, substitute, 'eva@example.com'])
})

test('substitutes stay known where their collection was pushed to another project before', async () => {
  await createPeople(there)
  const other = await two.addProject('other')
  await here.collections.create({ name: 'people' })
  await here.collection('people').create({ title: 'Eva', email: 'eva@example.org' })
  await world.json(['push', '--profile', 'other', '--yes'])
  await world.json(['pull', ...staging, ...redactEmail])

  await world.json(['push', '--profile', 'other', '--yes'])

  expect(await peopleOf(other)).toEqual([
    { title: 'Ada' },
    { title: 'Bob' },
    { title: 'Eva', email: 'eva@example.org' },
  ])
})

test('--unredact brings a field as it is into a collection that is here without its substitutes', async () => {
  await createPeople(there)
  await world.json(['pull', ...staging, ...redactEmail])
  await here.collections.delete('people')
  await here.collections.create({ name: 'people' })

  await world.json(['pull', ...staging, '--unredact', 'people.email'])

  expect(await peopleOf(here)).toEqual(await peopleOf(there))
})

test('what is redacted stays so where the collection has another name at the service', async () => {
  await createPeople(there)
  await world.json(['pull', ...staging, ...redactEmail])
  await there.collections.rename('people', 'clients')

  const pulled = await world.svc(['pull', ...staging])

  expect(pulled).toMatchObject({ exit: 0, stderr: expect.stringContaining('Redacted in "clients"') })
  const { items } = await here.collection('clients').list()
  expect(items.map(({ data }) => data.email)).toEqual([substitute, substitute])
})
