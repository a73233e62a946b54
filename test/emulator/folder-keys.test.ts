/** Contract 11: keys, control token and port belong to the state folder, so that an app's environment variables stay valid. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Config, type Emulator, startEmulator } from '../../emulator/assembly/dev.js'
import { openFolderKeys } from '../../emulator/assembly/folder-keys.js'
import { openDatabases } from '../fixtures/databases/shared-server.js'

let dir: string
const running: Emulator[] = []

beforeEach(async () => {
  dir = join(await mkdtemp(join(tmpdir(), 'svc-keys-')), 'state')
})
afterEach(async () => {
  for (const emulator of running.splice(0)) await emulator.close()
  await rm(join(dir, '..'), { recursive: true, force: true })
})

async function start(options: Partial<Config> = {}): Promise<Emulator> {
  const emulator = await startEmulator({ dir, choosePort: async (kept) => kept ?? 0, ...options })
  running.push(emulator)
  return emulator
}

async function kept(): Promise<string[]> {
  return (await readdir(join(dir, 'keys'))).map((name) => join(dir, 'keys', name))
}

async function restart(options: Partial<Config> = {}): Promise<Emulator> {
  for (const emulator of running.splice(0)) await emulator.close()
  return start(options)
}

async function statusOf({ url }: Emulator, key: string): Promise<number> {
  return (await fetch(`${url}/collections`, { headers: { 'x-api-key': key } })).status
}

async function control(emulator: Emulator, method: string, path: string, body?: object) {
  const headers = { 'svc-control-token': emulator.controlToken, 'content-type': 'application/json' }
  const answer = await fetch(`${emulator.url}/_svc/api/projects/dev/keys${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json() as Promise<{ id: string; key: string }>
}

const lasting = ({ apiKey, controlToken, url }: Emulator) => ({ apiKey, controlToken, url })

describe('keys, control token and port', () => {
  it('survive a restart, new data and memory, readable by their owner only', async () => {
    const first = lasting(await start())

    expect(lasting(await restart())).toEqual(first)
    expect(lasting(await restart({ fresh: true }))).toEqual(first)
    expect(lasting(await restart({ memory: true }))).toEqual(first)
    for (const file of await kept()) expect((await stat(file)).mode & 0o077).toBe(0)
  })

  it('hold for secret keys too, which are kept as hashes, and not for those that were taken away', async () => {
    const first = await start()
    const secret = first.secretKey ?? ''
    const made = await control(first, 'POST', '', { secret: true })
    const taken = await control(first, 'POST', '', { secret: true })
    await control(first, 'DELETE', `/${taken.id}`)

    const fresh = await restart({ fresh: true })

    expect(fresh.secretKey).toBeUndefined()
    const statuses = [secret, made.key, taken.key].map((key) => statusOf(fresh, key))
    expect(await Promise.all(statuses)).toEqual([200, 200, 401])
    for (const file of await kept()) {
      const text = await readFile(file, 'utf8')
      expect([secret, made.key].filter((key) => text.includes(key))).toEqual([])
    }
  })

  it('are not taken away by halves: where the folder cannot be written, the key stays until it can', async () => {
    const first = await start()
    const made = await control(first, 'POST', '', { secret: true })
    const [keys, away] = [join(dir, 'keys'), join(dir, 'away')]
    await rename(keys, away)
    await writeFile(keys, 'in the way')

    await expect(control(first, 'DELETE', `/${made.id}`)).rejects.toThrow('INTERNAL')
    await rm(keys)
    await rename(away, keys)

    // It still exists and can be revoked.
    await control(first, 'DELETE', `/${made.id}`)
    expect(await statusOf(first, made.key)).toBe(401)
    expect(await statusOf(await restart(), made.key)).toBe(401)
  })

  it('are those of the data where the folder has lost its own', async () => {
    const { apiKey } = await start()
    await running.splice(0)[0]?.close()
    await rm(join(dir, 'keys'), { recursive: true })

    const again = await start()

    expect(again.apiKey).toBe(apiKey)
    expect((await restart({ fresh: true })).apiKey).toBe(apiKey)
  })

  it('are each project’s own', async () => {
    const { apiKey } = await start()
    const shop = await restart({ project: 'shop' })

    expect(shop.apiKey).not.toBe(apiKey)
    expect((await restart({ project: 'shop', fresh: true })).apiKey).toBe(shop.apiKey)
    expect((await restart()).apiKey).toBe(apiKey)
  })

  it('are drawn once by several that begin together in a new folder', async () => {
    const all = await Promise.all(Array.from({ length: 3 }, () => start({ memory: true, choosePort: async () => 0 })))

    expect(new Set(all.map(({ apiKey }) => apiKey)).size).toBe(1)
    expect(new Set(all.map(({ controlToken }) => controlToken)).size).toBe(1)
  })

  it('open a new database of one’s own, whose keys then are its own', async () => {
    const server = await openDatabases()
    try {
      const { apiKey } = await start()
      const shared = await restart({ databaseUrl: server.url })
      const elsewhere = await restart({ databaseUrl: server.url, dir: join(dir, 'elsewhere') })

      expect(shared.apiKey).toBe(apiKey)
      expect(elsewhere.apiKey).toBe(apiKey)
    } finally {
      for (const emulator of running.splice(0)) await emulator.close()
      await server.stop()
    }
  })

  it('give way to another control token where one is asked for', async () => {
    const first = await start()

    const second = await restart({ newToken: true })

    expect(second.controlToken).not.toBe(first.controlToken)
    expect(second.apiKey).toBe(first.apiKey)
    expect((await restart()).controlToken).toBe(second.controlToken)
  })

  it('are drawn again where their files are damaged, from the data as far as those have them', async () => {
    const first = await start()
    await running.splice(0)[0]?.close()
    for (const file of await kept()) await writeFile(file, '[{"id":')

    expect((await start()).apiKey).toBe(first.apiKey)
  })
})

describe('keys that came with a cloned folder', () => {
  const said: string[] = []
  const listen = ({ message }: Error) => said.push(message)
  beforeEach(() => {
    said.length = 0
    process.on('warning', listen)
  })
  afterEach(() => void process.off('warning', listen))

  const ignored = () => said.filter((message) => message.includes('Ignoring files in'))

  it.each([
    ['others may read them', (file: string) => chmod(file, 0o644)],
    [
      'they are links',
      async (file: string) => {
        await rename(file, join(dir, `${basename(file)}.moved`))
        await symlink(join(dir, `${basename(file)}.moved`), file)
      },
    ],
  ])('contract 12.4 are drawn again where %s, which is said once', async (_, change) => {
    const first = await start({ memory: true })
    await running.splice(0)[0]?.close()
    for (const file of await kept()) await change(file)

    const second = await start({ memory: true })
    const after = lasting(second)

    expect(after.controlToken).not.toBe(first.controlToken)
    expect(after.apiKey).not.toBe(first.apiKey)
    expect(await statusOf(second, first.apiKey)).toBe(401)
    expect(ignored()).toHaveLength(1)
    expect(lasting(await restart({ memory: true }))).toEqual(after)
    expect(ignored()).toHaveLength(1)
  })
})

describe('on a disk without file modes', () => {
  it('are kept in a folder of the user’s own, and those in the state folder are not believed', async () => {
    const state = join(dir, '..', 'shared-disk')
    await mkdir(state)
    const open = (privateFolder: string | undefined) =>
      openFolderKeys({
        ...{ folder: state, isTokenNew: false, hasData: false, warn: () => undefined },
        ...{ privateFolder, keepsModes: async () => false },
      })
    const cloned = await open(undefined)

    const first = await open(join(dir, '..', 'own'))
    await first.keepPort(4_444)
    const again = await open(join(dir, '..', 'own'))

    expect(first.controlToken).not.toBe(cloned.controlToken)
    expect(again).toMatchObject({ controlToken: first.controlToken, port: 4_444 })
  })
})

describe('the port', () => {
  it('is another one while another process has it, which is then the folder’s', async () => {
    const first = await start()
    const port = Number(new URL(first.url).port)
    await running.splice(0)[0]?.close()
    const other = createServer().listen(port, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))

    const moved = await start({ choosePort: async (kept) => (kept === port ? 0 : (kept ?? 0)) })
    await new Promise((resolve) => other.close(resolve))

    expect(moved.url).not.toBe(first.url)
    expect((await restart()).url).toBe(moved.url)
  })

  it('is chosen again where another process takes it in between', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const chosen = [port, 0]

    const emulator = await start({ choosePort: async () => chosen.shift() ?? 0 })

    expect(await statusOf(emulator, emulator.apiKey)).toBe(200)
    other.close()
  })

  it('is not the folder’s where any would do, and not that of an emulator that runs beside it', async () => {
    const first = await start()
    const beside = await start({ memory: true, choosePort: async () => 0 })
    await restart({ choosePort: undefined, port: 0 })

    expect(beside.url).not.toBe(first.url)
    expect((await restart()).url).toBe(first.url)
  })
})

describe('an emulator in memory', () => {
  it('runs beside the one of the folder, by the same keys and with data of its own', async () => {
    const held = await start()
    const beside = await start({ memory: true, choosePort: async () => 0 })
    const headers = { 'x-api-key': held.apiKey, 'content-type': 'application/json' }

    const made = await fetch(`${held.url}/collections`, { method: 'POST', headers, body: '{"name": "posts"}' })

    expect(made.status).toBe(201)
    expect(await (await fetch(`${beside.url}/collections`, { headers })).json()).toEqual([])
    expect(beside).toMatchObject({ dataDir: undefined, controlToken: held.controlToken })
  })
})

describe('startEmulator', () => {
  it('refuses an option that it does not know, naming those that it does', async () => {
    const refused = startEmulator({ memroy: true } as Partial<Config>)

    await expect(refused).rejects.toMatchObject({
      code: 'UNKNOWN_OPTION',
      message: expect.stringContaining('"memroy"'),
      hint: expect.stringContaining('memory'),
    })
  })
})
