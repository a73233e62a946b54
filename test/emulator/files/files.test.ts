/** Bytes and rows of files across restarts, faults and cut connections. */
import { mkdtemp, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'

const strayId = '01900000-0000-7000-8000-0000000000ab'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-files-'))
  cleanups.push(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function start(dir: string, more: Parameters<typeof startEmulator>[0] = {}): Promise<Emulator> {
  const emulator = await startEmulator({ dir, ...more })
  cleanups.push(() => emulator.close())
  return emulator
}

function send({ url, apiKey }: Emulator, content: string, headers: Record<string, string> = {}): Promise<Response> {
  const body = new FormData()
  body.append('file', new File([content], 'note.txt'))
  return fetch(`${url}/storage/upload`, { method: 'POST', headers: { 'x-api-key': apiKey, ...headers }, body })
}

async function upload(emulator: Emulator, content: string): Promise<{ id: string; url: string }> {
  const answer = await send(emulator, content)
  expect(answer.status).toBe(201)
  return (await answer.json()) as { id: string; url: string }
}

/** The folder of one database's bytes. */
async function home(dir: string): Promise<string> {
  const [place = ''] = await readdir(join(dir, 'files'))
  return join(dir, 'files', place)
}

async function idsOnDisk(dir: string): Promise<string[]> {
  const entries = await readdir(await home(dir), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

/** The same file under the address that the service has now. */
const moved = (file: { url: string }, { url }: Emulator) => `${url}${new URL(file.url).pathname}`

it('keeps files over a restart, and removes bytes that never got a row', async () => {
  const dir = await aFolder()
  const first = await start(dir)
  const file = await upload(first, 'Hello')
  await first.close()
  const stray = join(await home(dir), strayId)
  await writeFile(stray, 'nobody knows me')
  await utimes(stray, new Date(), new Date(Date.now() - 5_000))

  const second = await start(dir)

  await expect.poll(() => idsOnDisk(dir)).toEqual([file.id])
  expect(await (await fetch(moved(file, second))).text()).toBe('Hello')
})

it('answers 404 for a file whose bytes are gone, says what to do, and goes on', async () => {
  const dir = await aFolder()
  const first = await start(dir)
  const [lost, kept] = [await upload(first, 'lost'), await upload(first, 'kept')]
  await first.close()
  await rm(join(await home(dir), lost.id))

  const second = await start(dir)

  const answer = await fetch(moved(lost, second))
  expect(answer.status).toBe(404)
  expect(answer.headers.get('svc-error-code')).toBe('NOT_FOUND')
  expect(await answer.text()).toContain('Restore them from a backup, or delete the file.')
  expect((await fetch(moved(lost, second), { method: 'HEAD' })).status).toBe(404)
  expect(await (await fetch(moved(kept, second))).text()).toBe('kept')
})

it('answers 503, to be tried again, while the folder of the files is not there', async () => {
  const dir = await aFolder()
  const emulator = await start(dir)
  const file = await upload(emulator, 'Hello')
  const folder = await home(dir)
  await rename(folder, `${folder}-unmounted`)

  const answers = [await fetch(file.url), await fetch(file.url, { method: 'HEAD' })]
  await rename(`${folder}-unmounted`, folder)
  const later = await fetch(file.url)

  expect(answers.map(({ status }) => status)).toEqual([503, 503])
  expect(answers.map(({ headers }) => headers.get('retry-after'))).toEqual(['1', '1'])
  expect(await later.text()).toBe('Hello')
})

it('removes the bytes of a deleted file', async () => {
  const dir = await aFolder()
  const emulator = await start(dir)
  const { id } = await upload(emulator, 'Hello')
  const { url, apiKey } = emulator

  await fetch(`${url}/storage/file/${id}`, { method: 'DELETE', headers: { 'x-api-key': apiKey } })

  await expect.poll(() => idsOnDisk(dir)).toEqual([])
})

it('leaves the files alone when it starts with no data, and has them again with the old data', async () => {
  const dir = await aFolder()
  const first = await start(dir)
  const file = await upload(first, 'Hello')
  await first.close()

  const fresh = await start(dir, { fresh: true })
  const other = await upload(fresh, 'Other')
  await fresh.close()

  const places = await readdir(join(dir, 'files'))
  const found = await readdir(join(dir, 'files'), { recursive: true })
  expect(places).toHaveLength(2)
  for (const { id } of [file, other]) expect(found.filter((path) => path.endsWith(id))).toHaveLength(1)
})

it('keeps the bytes of the first upload with an idempotency key, and of none after it', async () => {
  const dir = await aFolder()
  const emulator = await start(dir)
  const key = { 'idempotency-key': 'k' }

  const first = await send(emulator, 'one', key)
  const again = await send(emulator, 'one', key)
  const other = await send(emulator, 'two', key)
  // Bytes that are not kept are removed before the answer.
  const ids = await idsOnDisk(dir)

  expect([first, again, other].map(({ status }) => status)).toEqual([201, 201, 422])
  expect(other.headers.get('svc-error-code')).toBe('IDEMPOTENCY_MISMATCH')
  expect(ids).toEqual([((await again.json()) as { id: string }).id])
})

it('keeps nothing of an upload whose sender went away', async () => {
  const dir = await aFolder()
  const emulator = await start(dir)
  const { hostname, port } = new URL(emulator.url)

  const sending = request({
    ...{ hostname, port, method: 'POST', path: '/storage/upload' },
    headers: {
      'x-api-key': emulator.apiKey,
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': '5000000',
    },
  })
  sending.on('error', () => undefined)
  sending.write('--x\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\n\r\n')
  sending.write(Buffer.alloc(1_000_000))
  await expect.poll(() => idsOnDisk(dir)).toHaveLength(1)
  sending.destroy()

  await expect.poll(() => idsOnDisk(dir)).toEqual([])
})

it('goes on when a reader goes away', async () => {
  const dir = await aFolder()
  const emulator = await start(dir)
  const { url } = await upload(emulator, 'x'.repeat(20_000_000))

  for (let turn = 0; turn < 5; turn++) {
    const answer = await fetch(url)
    await answer.body?.cancel()
  }

  expect((await (await fetch(url)).text()).length).toBe(20_000_000)
})
