/** Tests the limit of incoming bytes for all connections together. Contract 10.12. */
import { expect, it } from 'vitest'
import { heldBytes } from '../../fixtures/requests/held-bytes.js'
import { file, form, holdDatabase, json, megabyte, send, servicesOfFile } from '../../fixtures/requests/incoming.js'

const aService = servicesOfFile()

it.each([
  ['bodies', json],
  ['forms', form],
])('contract 10.12 %s of all requests have one limit, and the address that holds most gives way', async (_, body) => {
  const service = await aService({ maxBytes: 1.5 * megabyte })
  const many = [await send(service, '1.1.1.1', body), await send(service, '1.1.1.1', body)]
  const other = await send(service, '2.2.2.2', { ...json, bytes: JSON.stringify({ text: 'x'.repeat(100_000) }) })

  expect(await other.finish()).toBe(201)
  const statuses = [await many[0]?.finish(), await many[1]?.finish()]

  expect(statuses.sort()).toEqual([201, 503])
})

it.each([
  ['nothing where they are sent on at once', 0, [201, 201]],
  ['what their store keeps until it is sent on', 8 * megabyte, [201, 503]],
])('contract 10.12 of files on their way counts %s', async (_, bufferedBytes, expected) => {
  const service = await aService({ maxBytes: 1.5 * megabyte })
  Object.assign(service.backend.files, { bufferedBytes })
  const files = [await send(service, '1.1.1.1', file), await send(service, '1.1.1.1', file)]

  const statuses = [await files[0]?.finish(), await files[1]?.finish()]

  expect(statuses.sort()).toEqual(expected)
})

it('contract 10.12 a form that gives way with the bytes in which its file begins is answered', async () => {
  const service = await aService({ maxBytes: json.bytes.length + 10_000 })
  const body = await send(service, '1.1.1.1', json)

  // All of it but its end comes at once.
  const given = await send(service, '1.1.1.1', { ...file, bytes: file.bytes.replace('x'.repeat(860_000), '') })

  expect(await given.finish()).toBe(503)
  expect(await body.finish()).toBe(201)
  await expect.poll(service.connections).toBe(0)
})

it('contract 10.12 an upload keeps its place, and what began later gives way', async () => {
  const service = await aService({ maxBytes: json.bytes.length + 30_000 })
  const upload = await send(service, '1.1.1.1', file, file.bytes.length / 2)
  const later = await send(service, '1.1.1.1', json)

  expect(await upload.finish()).toBe(201)
  expect(await later.finish()).toBe(503)
})

it.each([
  ['body', json],
  ['form', form],
])('contract 10.12 a %s that is whole and at work gives way no more', async (_, body) => {
  const service = await aService({ maxBytes: 1.5 * megabyte })
  const coming = await send(service, '1.1.1.1', json, json.bytes.length / 2)
  const whole = await send(service, '1.1.1.1', body)
  const letGo = await holdDatabase(service)
  await whole.sendRest()

  await coming.sendRest()
  letGo()

  expect(await whole.status).toBe(201)
  expect(await coming.status).toBe(503)
})

it('contract 10.12 what comes after a fault of a form weighs nothing', async () => {
  const service = await aService({ maxBytes: megabyte })
  const faulty = await send(service, '1.1.1.1', {
    ...form,
    bytes: form.bytes.replace('; name="data"', '; filename="a.txt"'),
  })
  const other = await send(service, '2.2.2.2', { ...json, bytes: JSON.stringify({ text: 'x'.repeat(200_000) }) })

  expect(await other.finish()).toBe(201)
  expect(await faulty.finish()).toBe(400)
})

it.each([
  ['boundary lines alone', '--b\r\n'.repeat(20_000), 413],
  ['a head that cannot be read', `--b\r\n:\r\n\r\n${'x'.repeat(500_000)}`, 400],
  ['too many files', '--b\r\ncontent-disposition: form-data; name="a"; filename="a"\r\n\r\n\r\n'.repeat(2_000), 413],
])('contract 3.4 a form of %s is refused before the rest of it has come', async (_, bytes, status) => {
  const service = await aService({})

  const coming = await send(service, '1.1.1.1', { ...form, bytes })

  expect(await coming.status).toBe(status)
  expect((await service.send('GET', '/collections/posts')).status).toBe(200)
})

it.each([
  ['text', 'name="data"'],
  ['text that is sent as a file', 'name="data"; filename="a.json"'],
])('contract 10.12 a %s that comes in bytes takes no more than one that comes at once', async (_, name) => {
  const service = await aService({})
  const bytes = form.bytes.replace('x'.repeat(json.bytes.length - 300_000), '').replace('name="data"', name)
  const before = await heldBytes()

  const sending = await send(service, '1.1.1.1', { ...form, bytes, isInBytes: true })

  expect((await heldBytes()) - before).toBeLessThan(20 * megabyte)
  expect(await sending.finish()).toBe(201)
})

it('contract 10.12 a body in single bytes takes no more memory than at once, and its pieces count for its address', async () => {
  const service = await aService({ maxBytesPerAddress: 200 * megabyte })
  const body = { ...json, bytes: JSON.stringify({ text: 'x'.repeat(300_000) }), isInBytes: true }
  const before = await heldBytes()

  const first = await send(service, '1.1.1.1', body)

  expect((await heldBytes()) - before).toBeLessThan(20 * megabyte)
  const second = await send(service, '1.1.1.1', body)
  const other = await send(service, '2.2.2.2', body)
  expect([await first.finish(), await second.finish(), await other.finish()]).toEqual([201, 503, 201])
})

it('contract 10.12 no address takes what is there for all', async () => {
  const service = await aService({ maxBytes: 100 * megabyte, maxBytesPerAddress: megabyte })
  const many = [await send(service, '1.1.1.1', json), await send(service, '1.1.1.1', json)]
  const other = await send(service, '2.2.2.2', json)

  const statuses = [await many[0]?.finish(), await many[1]?.finish()]

  expect(statuses.sort()).toEqual([201, 503])
  expect(await other.finish()).toBe(201)
})

it('contract 10.12 a body that was handled, refused or given up holds nothing any more', async () => {
  const service = await aService({ maxBytes: megabyte })

  for (const body of [json, form, { ...json, bytes: json.bytes.replace('{', '[') }]) {
    const given = await send(service, '1.1.1.1', body)
    given.leave()
    await expect.poll(service.connections).toBe(0)
    expect(await (await send(service, '1.1.1.1', body)).finish()).toBe(body.bytes.startsWith('[') ? 400 : 201)
  }
})

it('contract 10.3 several bodies of 10 MB at once are taken', async () => {
  const service = await aService({})
  const documents = Array.from({ length: 10 }, (_, n) => ({ n, text: 'x'.repeat(megabyte - 2_000) }))

  const answers = await Promise.all(
    ['1.1.1.1', '1.1.1.1', '2.2.2.2'].map((address) =>
      service.send(
        'POST',
        '/collections/posts/batch',
        { documents },
        { 'x-forwarded-for': address, prefer: 'return=minimal' },
      ),
    ),
  )

  expect(answers.map(({ status }) => status)).toEqual([204, 204, 204])
})
