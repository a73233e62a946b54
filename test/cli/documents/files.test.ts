import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../command-line.js'

interface Listed {
  readonly items: readonly {
    readonly id: string
    readonly path: string
    readonly name: string
    readonly url: string
    readonly mimeType: string
  }[]
}

let world: World

beforeAll(async () => {
  world = await openWorld()
  await world.useEmulator()
  await mkdir(join(world.folder, 'photos', 'sub'), { recursive: true })
  await writeFile(join(world.folder, 'photos', 'a.txt'), 'one')
  await writeFile(join(world.folder, 'photos', 'sub', 'b.txt'), 'two')
  await writeFile(join(world.folder, 'photos', 'sub', 'none.txt'), '')
  await world.svc(['collections', 'create', 'posts'])
})
afterAll(() => world.close())

const list = async (...words: string[]) => (await world.json(['files', 'list', ...words])) as Listed
const textAt = async (url: unknown) => (await fetch(String(url))).text()

test('a folder is stored with what lies in it and below it, and comes back the same', async () => {
  const stored = await world.svc(['files', 'upload', 'photos', '--to', 'albums'])
  const { items } = await list('albums', '--all')
  const fetched = await world.svc(['files', 'download', 'albums', '--to', 'back'])

  expect(stored.exit).toBe(0)
  expect(stored.stdout.split('\n').filter((line) => line.startsWith('http'))).toHaveLength(3)
  expect(items.map(({ path, name }) => `${path}/${name}`).sort()).toEqual([
    'albums/photos/a.txt',
    'albums/photos/sub/b.txt',
    'albums/photos/sub/none.txt',
  ])
  expect(fetched.exit).toBe(0)
  for (const [path, text] of [
    ['a.txt', 'one'],
    ['sub/b.txt', 'two'],
    ['sub/none.txt', ''],
  ]) {
    expect(await readFile(join(world.folder, 'back/albums/photos', path ?? ''), 'utf8')).toBe(text)
  }
})

test('while files are on their way, the terminal tells how many bytes go through', async () => {
  const { stdout, exit } = await world.terminal(['files', 'upload', 'photos', '--to', 'watched'], [])

  expect(exit).toBe(0)
  expect(stdout).toMatch(/3 files {2}\d+(\.\d+)? (bytes?|[KMGT]B)\/s/)
})

test('what is hidden in a folder stays out of it, until it is named', async () => {
  await mkdir(join(world.folder, 'site', '.git'), { recursive: true })
  for (const name of ['index.txt', '.env', '.git/config']) await writeFile(join(world.folder, 'site', name), name)

  await world.svc(['files', 'upload', 'site'])
  const named = await world.svc(['files', 'upload', 'site/.env', '--to', 'asked'])

  expect((await list('site')).items.map(({ name }) => name)).toEqual(['index.txt'])
  expect(named.exit).toBe(0)
  expect((await list('asked')).items.map(({ name }) => name)).toEqual(['.env'])
})

test('links in a folder are left out, and named', async () => {
  await mkdir(join(world.folder, 'linked'), { recursive: true })
  await writeFile(join(world.folder, 'linked', 'a.txt'), 'a')
  await symlink('a.txt', join(world.folder, 'linked', 'b.txt'))

  const { stderr } = await world.svc(['files', 'upload', 'linked'])

  expect(stderr).toContain('Skipped 1 link: linked/b.txt\n')
})

test('of several files, the one that is refused is named, and how many are stored', async () => {
  await mkdir(join(world.folder, 'mixed'), { recursive: true })
  for (const name of ['a.txt', 'b\nc.txt']) await writeFile(join(world.folder, 'mixed', name), 'x')

  const { exit, stderr } = await world.svc(['files', 'upload', 'mixed'])

  expect(exit).toBe(5)
  expect(stderr).toContain('"mixed/b\\nc.txt": File names cannot contain control characters. Uploaded 1 of 2 files.\n')
})

test('a file is stored with the type that a browser would send for its ending', async () => {
  await mkdir(join(world.folder, 'typed'))
  for (const name of ['a.json', 'b.MP3', 'c.unknown', 'd']) await writeFile(join(world.folder, 'typed', name), 'x')

  await world.svc(['files', 'upload', 'typed'])

  const types = (await list('typed')).items.map(({ name, mimeType }) => [name, mimeType]).sort()
  expect(types).toEqual([
    ['a.json', 'application/json'],
    ['b.MP3', 'audio/mpeg'],
    ['c.unknown', 'application/octet-stream'],
    ['d', 'application/octet-stream'],
  ])
})

test('a page says how to get the next', async () => {
  const { stderr } = await world.svc(['files', 'list', '--limit', '1'])

  expect(stderr).toMatch(/^1 of \d+ files\. Next page: --offset 1$/m)
})

test('a file that is there already is written over only when that is asked for', async () => {
  await world.svc(['files', 'upload', 'photos/a.txt', '--to', 'single'])
  const [file] = (await list('single')).items
  await writeFile(join(world.folder, 'a.txt'), 'mine')

  const refused = await world.svc(['files', 'download', file?.id ?? ''])
  expect([refused.exit, await readFile(join(world.folder, 'a.txt'), 'utf8')]).toEqual([5, 'mine'])
  const misplaced = await world.svc(['files', 'download', file?.id ?? '', '--to', 'photos/a.txt'])
  expect([misplaced.exit, misplaced.stderr]).toEqual([1, 'error  File already exists: photos/a.txt\n'])
  const replaced = await world.svc(['files', 'download', file?.url ?? '', '--replace'])
  expect([replaced.exit, await readFile(join(world.folder, 'a.txt'), 'utf8')]).toEqual([0, 'one'])
})

test('files of one name in one folder come back each', async () => {
  for (const text of ['one', 'two']) {
    await mkdir(join(world.folder, text), { recursive: true })
    await writeFile(join(world.folder, text, 'same.txt'), text)
    await world.svc(['files', 'upload', `${text}/same.txt`, '--to', 'twice'])
  }
  const [newest, oldest] = (await list('twice')).items

  const fetched = await world.svc(['files', 'download', 'twice', '--to', 'both'])

  expect(fetched.exit).toBe(0)
  expect(newest?.name).toBe('same.txt')
  const textOf = (name: string) => readFile(join(world.folder, 'both', 'twice', name), 'utf8')
  expect([await textOf('same.txt'), await textOf(`${oldest?.id}-same.txt`)]).toEqual(['two', 'one'])
})

test('a file that is called as a folder of the others comes back beside it, and so do names that some disks take for one', async () => {
  await writeFile(join(world.folder, 'covers'), 'file')
  await mkdir(join(world.folder, 'accents'))
  for (const form of ['NFC', 'NFD']) await writeFile(join(world.folder, 'accents', 'é'.normalize(form)), form)
  await world.svc(['files', 'upload', 'photos/a.txt', '--to', 'mixed-up/covers/deep'])
  await world.svc(['files', 'upload', 'covers', '--to', 'mixed-up'])
  await world.svc(['files', 'upload', 'accents', '--to', 'mixed-up'])
  const { items } = await list('mixed-up', '--all')
  const idOf = (name: string) => items.find((file) => file.name === name)?.id ?? ''

  const fetched = await world.svc(['files', 'download', 'mixed-up', '--to', 'apart'])
  const again = await world.svc(['files', 'download', 'mixed-up', '--to', 'apart', '--replace'])

  expect([fetched.exit, again.exit], fetched.stderr).toEqual([0, 0])
  const textOf = (...names: string[]) => readFile(join(world.folder, 'apart', 'mixed-up', ...names), 'utf8')
  expect(await textOf('covers', 'deep', 'a.txt')).toBe('one')
  expect(await textOf(`${idOf('covers')}-covers`)).toBe('file')
  const names = await readdir(join(world.folder, 'apart', 'mixed-up', 'accents'))
  const withId = names.filter((name) => items.some(({ id }) => name.startsWith(`${id}-`)))
  expect([names.length, withId.length]).toEqual([2, 1])
})

test('-F stores files in the fields of a document', async () => {
  const words = ['title=Hi', '-F', 'cover=@photos/a.txt', '-F', 'pages=@photos/a.txt', '-F', 'pages=@photos/sub/b.txt']

  const created = (await world.json(['docs', 'create', 'posts', ...words])) as { id: string; data: Fields }
  const changed = (await world.json(['docs', 'update', 'posts', created.id, '-F', 'cover=@photos/sub/b.txt'])) as {
    data: Fields
  }

  expect(created.data.title).toBe('Hi')
  expect(await textAt(changed.data.cover)).toBe('two')
  expect(await Promise.all((created.data.pages as string[]).map(textAt))).toEqual(['one', 'two'])
  expect((await fetch(String(created.data.cover))).status).toBe(404)
})

type Fields = Readonly<Record<string, unknown>>

test('a folder is deleted once that is confirmed, and documents keep their files', async () => {
  await world.svc(['files', 'upload', 'photos', '--to', 'old'])

  const unasked = await world.svc(['files', 'delete', '--folder', 'old'])
  expect([unasked.exit === 0, (await list('old')).items.length]).toEqual([false, 3])
  const deleted = await world.json(['files', 'delete', '--folder', 'old', '--yes'])
  expect([deleted, (await list('old')).items]).toEqual([{ deleted: 3 }, []])

  const { data } = (await world.json(['docs', 'create', 'posts', '-F', 'cover=@photos/a.txt'])) as { data: Fields }
  const [, , , , id = ''] = String(data.cover).split('/')
  expect(await world.json(['files', 'delete', id])).toMatchObject({ error: { code: 'FILE_IN_USE' } })
})

test('of several files, one that is gone or named twice keeps no other, and it is said how many were deleted before a failure', async () => {
  await world.svc(['files', 'upload', 'photos', '--to', 'several'])
  const [one, two, three] = (await list('several')).items.map(({ id }) => id)
  const { data } = (await world.json(['docs', 'create', 'posts', '-F', 'cover=@photos/a.txt'])) as { data: Fields }
  const [, , , , owned = ''] = String(data.cover).split('/')

  const failed = await world.json(['files', 'delete', `${one}`, owned, `${two}`])
  const left = (await list('several')).items.map(({ id }) => id)
  const deleted = await world.svc(['files', 'delete', `${one}`, `${two}`, `${two}`, `${three}`])

  const reached = `1 of 3 files deleted before it failed, at "${owned}".`
  expect(failed).toMatchObject({ error: { code: 'FILE_IN_USE', message: expect.stringContaining(reached) } })
  expect(left).toEqual([two, three])
  expect([deleted.exit, deleted.stderr]).toEqual([0, expect.stringContaining('Deleted 2 files; 1 did not exist.\n')])
  expect((await list('several')).items).toEqual([])
  expect(await world.json(['files', 'delete', `${one}`, `${two}`])).toMatchObject({ error: { code: 'NOT_FOUND' } })
})

test('of several files that are fetched, it is said which one failed, and how many are written', async () => {
  await world.svc(['files', 'upload', 'photos', '--to', 'lost'])
  await mkdir(join(world.folder, 'half', 'lost', 'photos'), { recursive: true })
  await writeFile(join(world.folder, 'half', 'lost', 'photos', 'a.txt'), 'mine')

  const { exit, stderr } = await world.svc(['files', 'download', 'lost', '--to', 'half'])

  expect(exit).toBe(5)
  expect(stderr).toContain('"half/lost/photos/a.txt" already exists.')
  expect(stderr).toMatch(/ Downloaded \d of 3 files\.$/m)
})

test.each([
  [['docs', 'create', 'posts', '-f', `{"title":"${'x'.repeat(300)}"}`], 'This is JSON, not a file name.'],
  [['collections', 'create', 'q', '--schema', '{"title":{}}'], 'This is JSON, not a file name.'],
  [['seed', '[{"title":"Hello"}]'], 'This is JSON, not a file name.'],
  [['files', 'upload', '/dev/stdin'], '"/dev/stdin" is a pipe or a device, not a file.'],
  [['docs', 'create', 'posts', '-F', 'cover=@/dev/stdin'], '"/dev/stdin" is a pipe or a device, not a file.'],
  [['docs', 'batch', 'posts', '-f', '/dev/stdin', '--yes'], 'cannot come from stdin or a pipe'],
  [['docs', 'batch', 'posts', '-f', '-', '--yes'], 'cannot come from stdin or a pipe'],
  [['files', 'upload', 'nowhere.png'], 'No file "nowhere.png".'],
  [['files', 'upload', 'photos/a.txt', '--to', '../x'], 'is not a valid folder'],
  [['files', 'download', 'nowhere'], 'No files in "nowhere".'],
  [['files', 'download', '01999999-9999-7999-8999-999999999999'], 'No file "01999999'],
  [['files', 'delete'], 'Select files'],
  [['docs', 'create', 'posts', '-F', 'cover=a.png'], 'Not a valid field with a file'],
  [['docs', 'create', 'posts', '-F', 'cover=@nowhere.png'], 'No file "nowhere.png".'],
  [['docs', 'create', 'posts', '-F', 'cover=@photos'], '"photos" is a folder, not a file.'],
])('svc %j says what is wrong', async (words, said) => {
  const { exit, stderr } = await world.svc(words)

  expect(exit).not.toBe(0)
  expect(stderr).toContain(said)
})

test('info says what all files take', async () => {
  expect(await world.json(['files', 'info'])).toMatchObject({ files: expect.any(Number), tier: 'pro' })
})
