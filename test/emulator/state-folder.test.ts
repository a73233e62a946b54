/** State folders that a start finds: it opens them, or says in one line why not, and deletes nothing. */
import { randomUUID } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, unlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../emulator/assembly/dev.js'
import { makeStateFolder } from '../../emulator/database/pglite/folder-place.js'
import { openPglite } from '../../emulator/database/pglite/pglite.js'
import { sql } from '../../emulator/database/port.js'

const folder = await mkdtemp(join(tmpdir(), 'svc-folder-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A folder that was used and closed; tests work on copies of it. */
const used = join(folder, 'used')
const running: Emulator[] = []

async function start(dir: string, more: { fresh?: boolean; port?: number } = {}) {
  const emulator = await startEmulator({ dir, ...more })
  running.push(emulator)
  return emulator
}

async function copyOfUsed(name: string): Promise<string> {
  const dir = join(folder, name)
  // Node copies no sockets, and that of the last holder stays.
  await cp(used, dir, { recursive: true, filter: async (path) => !(await stat(path)).isSocket() })
  return dir
}

async function collectionsOf({ url, apiKey }: Emulator): Promise<string[]> {
  const answer = await fetch(`${url}/collections`, { headers: { 'x-api-key': apiKey } })
  return ((await answer.json()) as { name: string }[]).map(({ name }) => name)
}

/** Paths where no folder can be made, each for another reason. Node's `mkdir` never returns from the first. */
const places: [string, () => string | Promise<string>, RegExp][] = [
  ...(process.platform === 'linux'
    ? ([
        ['a place of the system', () => '/proc/svc-x', /cannot hold data: "\/proc" belongs to the system/],
        ['another place of the system', () => '/sys/svc/x', /cannot hold data: "\/sys" belongs to the system/],
      ] as [string, () => string, RegExp][])
    : []),
  ['a device', () => '/dev/null', /is a file, not a folder/],
  ['a place for devices', () => '/dev/svc/x', /cannot hold data: "\/dev" belongs to the system/],
  ['a file', () => aFile('a-file'), /is a file, not a folder/],
  ['a place below a file', async () => join(await aFile('a-file'), 'deep', 'state'), /: ".*a-file" is a file/],
  ['a link to nothing', () => aLink('nothing', join(folder, 'not there')), /the link ".*nothing" points to nothing/],
  [
    'a place below a link to nothing',
    async () => join(await aLink('none', '/not-there'), 'state'),
    /the link ".*none"/,
  ],
  ['a link to itself', () => aLink('loop', join(folder, 'loop')), /contains a loop of symbolic links/],
  ['a path that is too long', () => join(folder, 'x'.repeat(300)), /is too long a path/],
]

async function aFile(name: string): Promise<string> {
  await writeFile(join(folder, name), '')
  return join(folder, name)
}

async function aLink(name: string, to: string): Promise<string> {
  await symlink(to, join(folder, name))
  return join(folder, name)
}

beforeAll(async () => {
  const emulator = await startEmulator({ dir: used })
  await fetch(`${emulator.url}/collections`, {
    method: 'POST',
    headers: { 'x-api-key': emulator.apiKey, 'content-type': 'application/json' },
    body: '{"name": "kept"}',
  })
  await emulator.close()
})

afterAll(async () => {
  for (const emulator of running) await emulator.close()
})

it('a new folder is made by many that begin in it at once', async () => {
  const dirs = Array.from({ length: 40 }, () => join(folder, randomUUID(), 'state'))

  for (const dir of dirs) await Promise.all(Array.from({ length: 50 }, () => makeStateFolder(dir)))

  for (const dir of dirs) expect(await readdir(dir)).toEqual([])
})

describe('the state folder', () => {
  it('keeps data and key from one start to the next, for their owner only', async () => {
    const dir = await copyOfUsed('again')

    const emulator = await start(dir)

    expect(await collectionsOf(emulator)).toEqual(['kept'])
    expect((await stat(join(dir, 'data'))).mode & 0o077).toBe(0)
    expect((await stat(join(dir, 'manifest.json'))).mode & 0o077).toBe(0)
  })

  it('is held by one process, which a second start names', async () => {
    const dir = await copyOfUsed('held')
    const first = await start(dir)

    await expect(start(dir)).rejects.toMatchObject({
      code: 'ALREADY_RUNNING',
      message: expect.stringContaining(`process ${process.pid} at ${first.url}`),
    })
    expect(await collectionsOf(first)).toEqual(['kept'])
  })

  it('is held by exactly one of several that start at the same moment over a dead lock', async () => {
    const dir = await copyOfUsed('race')
    await leaveDeadSocket(join(dir, 'lock'))

    const results = await Promise.allSettled([start(dir), start(dir), start(dir)])

    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('is refused when its data have no PG_VERSION, and left as it is', async () => {
    const dir = await copyOfUsed('no-version')
    await unlink(join(dir, 'data', 'PG_VERSION'))
    const before = await readdir(join(dir, 'data'))

    await expect(start(dir)).rejects.toMatchObject({ code: 'DATA_DAMAGED', hint: expect.stringContaining('--fresh') })
    expect(await readdir(join(dir, 'data'))).toEqual(before)
  })

  it('is refused when the database does not open from it', async () => {
    const dir = await copyOfUsed('corrupt')
    await writeFile(join(dir, 'data', 'global', 'pg_control'), 'garbage')

    await expect(start(dir)).rejects.toMatchObject({ code: 'DATA_DAMAGED' })
    expect(await readFile(join(dir, 'data', 'global', 'pg_control'), 'utf8')).toBe('garbage')
  })

  it('is refused when its data are gone although they were there', async () => {
    const dir = await copyOfUsed('gone')
    await rm(join(dir, 'data'), { recursive: true })

    await expect(start(dir)).rejects.toMatchObject({ code: 'DATA_DAMAGED' })
  })

  it('is refused when a newer svc has written it', async () => {
    const dir = await copyOfUsed('newer')
    await writeFile(join(dir, 'manifest.json'), JSON.stringify({ format: 99, engine: 'pglite', isInitialised: true }))

    await expect(start(dir)).rejects.toMatchObject({ code: 'DATA_NEWER' })
  })

  it('is refused with both versions when a newer svc has changed its tables', async () => {
    const dir = await copyOfUsed('newer-tables')
    const db = await openPglite({ dataDir: join(dir, 'data') })
    await db.query(sql`insert into svc.migrations (number, name) values (999, 'from the future')`)
    await db.close()

    await expect(start(dir)).rejects.toMatchObject({
      code: 'DATA_NEWER',
      message: expect.stringMatching(/is at version 999; this svc supports versions up to \d+\.$/),
    })
  })

  it('is refused when its manifest cannot be read', async () => {
    const dir = await copyOfUsed('manifest')
    await writeFile(join(dir, 'manifest.json'), '{"format":')

    await expect(start(dir)).rejects.toMatchObject({ code: 'DATA_DAMAGED' })
  })

  it('is refused when it holds data of somebody else', async () => {
    const dir = join(folder, 'foreign')
    await mkdir(join(dir, 'data'), { recursive: true })
    await writeFile(join(dir, 'data', 'thesis.txt'), 'years of work')

    await expect(start(dir)).rejects.toMatchObject({ code: 'DATA_FOREIGN' })
    expect(await readFile(join(dir, 'data', 'thesis.txt'), 'utf8')).toBe('years of work')
  })

  it.each(places)('is refused in one sentence at %s', async (_, path, reason) => {
    const dir = await path()

    const refused = await start(dir).catch((error) => error)

    expect(refused).toMatchObject({ code: 'FOLDER_NOT_WRITABLE', hint: expect.stringContaining('--data') })
    expect(refused.message).toMatch(reason)
    expect(refused.message).toContain(dir)
  })

  it('opens although a killed process left its postmaster.pid and half a first start', async () => {
    const dir = await copyOfUsed('killed')
    await writeFile(join(dir, 'data', 'postmaster.pid'), 'garbage')
    await mkdir(join(dir, 'data.new'))

    expect(await collectionsOf(await start(dir))).toEqual(['kept'])
  })

  it('finishes a first start that was killed before its data were in place', async () => {
    const dir = join(folder, 'half')
    await mkdir(join(dir, 'data.new'), { recursive: true })
    await writeFile(join(dir, 'data.new', 'PG_VERSION'), '18')
    await writeFile(join(dir, 'manifest.json'), JSON.stringify({ format: 1, engine: 'pglite', isInitialised: false }))

    expect(await collectionsOf(await start(dir))).toEqual([])
  })

  it('sets the old data aside for a fresh start', async () => {
    const dir = await copyOfUsed('fresh')

    const emulator = await start(dir, { fresh: true })

    expect(await collectionsOf(emulator)).toEqual([])
    const [aside] = (await readdir(dir)).filter((name) => name.startsWith('data.replaced-'))
    expect(await readdir(join(dir, aside ?? ''))).toContain('PG_VERSION')
  })
})

describe('a start', () => {
  it('says so when its port is in use, and lets go of the folder', async () => {
    const dir = await copyOfUsed('port')
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo

    await expect(start(dir, { port })).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      message: `Port ${port} is in use.`,
    })
    other.close()
    expect(await collectionsOf(await start(dir))).toEqual(['kept'])
  })

  it('refuses a database that does not answer, without its password', async () => {
    const refused = startEmulator({ databaseUrl: 'postgres://me:hunter2@127.0.0.1:1/none' })

    const error = await refused.catch((error: Error) => error)
    expect(error).toMatchObject({ code: 'DATABASE_UNREACHABLE' })
    expect((error as Error).message).not.toContain('hunter2')
  })
})

/** A socket file without a listener, as `kill -9` leaves it. */
async function leaveDeadSocket(path: string): Promise<void> {
  const { execFileSync } = await import('node:child_process')
  const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  try {
    execFileSync(process.execPath, ['-e', script])
  } catch {
    expect((await stat(path)).isSocket()).toBe(true)
  }
}
