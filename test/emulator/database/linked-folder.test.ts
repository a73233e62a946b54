/** Contract 12.4: a link that came with a cloned state folder may lead anywhere, and its lock is of the folder itself alone. */
import { createHash } from 'node:crypto'
import { lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import { type Config, type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { openDiskStore } from '../../../emulator/ports/files/disk.js'

let folder: string
let state: string
let outside: string
const running: Emulator[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-linked-'))
  state = join(folder, 'state')
  outside = join(folder, 'outside')
})
afterEach(async () => {
  for (const emulator of running.splice(0)) await emulator.close()
  await rm(folder, { recursive: true })
})

async function start(more: Partial<Config> = {}): Promise<Emulator> {
  const emulator = await startEmulator({ dir: state, ...more })
  running.push(emulator)
  return emulator
}

/** Every file at that place, by its name and its content. */
async function contentOf(path: string): Promise<string[]> {
  const names = (await lstat(path)).isFile() ? [''] : await readdir(path, { recursive: true })
  const contents = names.sort().map(async (name) => {
    const bytes = await readFile(join(path, name)).catch(() => '')
    return `${name} ${createHash('sha256').update(bytes).digest('hex')}`
  })
  return Promise.all(contents)
}

/** Moves a part of the state folder out of it, and puts a link in its place; `*` is the only one there. */
async function lead(part: string): Promise<string> {
  const path = join(state, part.replace('/*', ''))
  const link = part.endsWith('*') ? join(path, (await readdir(path))[0] ?? '') : path
  await rename(link, outside)
  await symlink(outside, link)
  return link
}

it.each(['data', 'data/pg_wal', 'manifest.json', 'files', 'files/*', 'keys', 'branches', 'branches/*'])(
  'contract 12.4 a start is refused where %s of the folder is a link, and what it leads to stays as it is',
  async (part) => {
    const options = part.startsWith('branches') ? { branch: 'main' } : {}
    await (await start(options)).close()
    const link = await lead(part)
    const [before, names] = [await contentOf(outside), await readdir(state)]

    const refused = await start(options).catch((error: unknown) => error)

    expect(refused).toMatchObject({
      code: 'FOLDER_NOT_WRITABLE',
      message: `"${link}" is a symbolic link, which svc does not follow here.`,
    })
    expect(await contentOf(outside)).toEqual(before)
    expect((await readdir(state)).filter((name) => !name.startsWith('lock'))).toEqual(
      names.filter((name) => !name.startsWith('lock')),
    )
  },
)

it('contract 12.4 a link among the data that leads to a file is not written through', async () => {
  await (await start()).close()
  await writeFile(outside, 'mine')
  await symlink(outside, join(state, 'data', 'pg_wal', '00000001000000000000FFFF'))

  await expect(start()).rejects.toMatchObject({ message: expect.stringContaining('FFFF" is a symbolic link') })

  expect(await readFile(outside, 'utf8')).toBe('mine')
})

it('contract 12.4 an emulator in memory writes no keys through a link', async () => {
  await mkdir(outside)
  await mkdir(state)
  await symlink(outside, join(state, 'keys'))

  await expect(start({ memory: true })).rejects.toMatchObject({ code: 'FOLDER_NOT_WRITABLE' })

  expect(await readdir(outside)).toEqual([])
})

it('the whole state folder may be a link', async () => {
  await mkdir(outside)
  await symlink(outside, state)

  await (await start()).close()
  await (await start({ branch: 'main' })).close()

  expect(await readdir(outside)).toEqual(expect.arrayContaining(['branches', 'data', 'keys']))
})

it('contract 12.4 a file whose bytes are a link is gone, and nothing of what it leads to is answered', async () => {
  await writeFile(outside, 'mine')
  const first = await start()
  const { id } = await createClient(first).files.upload(new Blob(['ours']), { name: 'a.txt', path: 'stored' })
  await first.close()
  const [place = ''] = await readdir(join(state, 'files'))
  await rm(join(state, 'files', place, id))
  await symlink(outside, join(state, 'files', place, id))

  const { url } = await start()
  const answers = await Promise.all(['GET', 'HEAD'].map((method) => fetch(`${url}/files/${id}/a.txt`, { method })))

  expect(answers.map(({ status }) => status)).toEqual([404, 404])
  expect(await answers[0]?.text()).not.toContain('mine')
})

it('a link among the files of a disk is none of them, and goes as a stray without what it leads to', async () => {
  await writeFile(outside, 'mine')
  await mkdir(state)
  const id = '01900000-0000-7000-8000-0000000000ab'
  await symlink(outside, join(state, id))
  const store = await openDiskStore({ folder: state })

  expect([await store.read(id), await store.has(id)]).toEqual([undefined, false])
  await store.remove([id])
  await store.close()

  expect([await readdir(state), await readFile(outside, 'utf8')]).toEqual([[], 'mine'])
})
