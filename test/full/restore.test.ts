/**
 * Backup and restore by the guide for operators, word for word: the database is dumped and the bucket copied while clients write, both are
 * lost, and what was acknowledged before the dump is there again, for reads, logins and subscriptions.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import { bin } from '../cli/command-line.js'
import { clientTools, clientToolsMissing } from '../fixtures/databases/client-tools.js'
import { type PostgresServer, startPostgres } from '../fixtures/databases/postgres.js'
import { type Entry, emptyLedger, upload, write } from '../fixtures/ledger.js'
import { patiently } from '../fixtures/patience.js'
import { openServeWorld, type ServeWorld } from '../fixtures/serve.js'

const guide = await readFile(fileURLToPath(new URL('../../docs/guides/serve-operations.md', import.meta.url)), 'utf8')

describe.skipIf(clientToolsMissing !== undefined)(clientToolsMissing ?? 'a backup', () => {
  let world: ServeWorld<PostgresServer>
  beforeAll(async () => {
    world = await openServeWorld(startPostgres)
  })
  afterAll(() => world.close())

  it('that was taken under load is restored as the guide says', { timeout: 600_000 }, async () => {
    const before = await world.start()
    const { apiKey, secretKey } = await before.newProject()
    const owner = ownerAt(before.url, secretKey)
    await owner.collections.create({ name: 'entries' })
    await createClient({ url: before.url, apiKey }).auth.signUp(credentials)
    const token = await logIn(before.url, apiKey)
    const numbers: number[] = []
    const subscription = owner.collection('entries').subscribe({ onChange: ({ seq }) => void numbers.push(seq) })
    await subscription.ready
    const ledger = emptyLedger()
    const work = [
      ...Array.from({ length: 4 }, () => write(owner, ledger)),
      upload(createClient({ url: before.url, apiKey: secretKey }), ledger),
    ]
    const goesOn = async () => {
      const least = { documents: ledger.acknowledged.size + 60, files: ledger.files.size + 5 }
      await expect.poll(() => ledger.acknowledged.size, patiently).toBeGreaterThan(least.documents)
      await expect.poll(() => ledger.files.size, patiently).toBeGreaterThan(least.files)
    }
    await goesOn()
    const acknowledged = [...ledger.acknowledged]
    const files = [...ledger.files]
    const number = numbers.at(-1) ?? 0
    await runBlocks('## Back up', '## Restore a backup')
    const bringBack = await world.bucket.backUp()
    await goesOn()
    ledger.isOver = true
    await Promise.all(work)
    await expect.poll(() => numbers.length, patiently).toBe(ledger.acknowledged.size)
    subscription.close()
    await before.stop()
    expect(ledger.failures).toEqual([])

    await world.postgres.dropDatabase(databaseName())
    await bringBack()
    await runBlocks('## Restore a backup', '### Restore to a point in time')
    const { url, stop } = await world.start()

    const restored = ownerAt(url, secretKey)
    const found: number[] = []
    for await (const { data } of restored.collection('entries').iterate()) {
      found.push(data.n)
    }
    expect(acknowledged.filter((n) => !found.includes(n))).toEqual([])
    expect(await restored.collection('entries').count()).toBe(found.length)
    for (const [address, text] of files) {
      expect(await (await fetch(address.replace(before.url, url))).text()).toBe(text)
    }
    // Not only those that were acknowledged: every row has its bytes.
    const rows = (await restored.files.info()).files
    for (let offset = 0; offset < rows; offset += 50) {
      const { items, total } = await restored.files.list({ limit: 50, offset })
      expect(total).toBe(rows)
      for (const file of items) expect((await fetch(file.url)).status).toBe(200)
    }
    const headers = { 'x-api-key': apiKey, authorization: `Bearer ${token}` }
    expect((await fetch(`${url}/auth-collections/me`, { headers })).status).toBe(200)
    expect(await logIn(url, apiKey)).not.toBe('')
    expect(await receivedSince(url, secretKey, number)).toContain('RESYNC')
    expect((await receivedSince(url, secretKey, numbers.at(-1) ?? 0))[0]).toBe('RESYNC')
    await stop()
  })

  const databaseName = () => new URL(world.postgres.url).pathname.slice(1)

  /** Runs the code blocks of a part of the guide. */
  async function runBlocks(from: string, to: string): Promise<void> {
    const part = guide.slice(guide.indexOf(from), guide.indexOf(to))
    const commands = [...part.matchAll(/^( *)```sh\n([\s\S]*?)^ *```/gm)].map(([, , text]) => text).join('\n')
    expect(commands).not.toBe('')
    const folder = join(world.folder, 'bin')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'svc'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`, { mode: 0o755 })
    const { hostname, port, username } = new URL(world.postgres.url)
    // The tests' server is not durable, which the check reports.
    const script = commands.replaceAll(/^svc serve check.*$/gm, '$& || test $? = 10')
    const { exitCode, stdout, stderr } = await execa('bash', ['-eu', '-o', 'pipefail', '-c', script], {
      cwd: world.folder,
      env: {
        ...world.env,
        ...{ PGHOST: hostname, PGPORT: port, PGUSER: username },
        ...{ SVC_DATABASE_ROLE: username, SVC_DATABASE_NAME: databaseName() },
        PATH: [folder, clientTools, process.env.PATH].join(delimiter),
      },
      extendEnv: false,
      reject: false,
    })
    expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0 })
  }
})

const credentials = { email: 'ada@example.com', password: 'Correct horse 1' }

async function logIn(url: string, apiKey: string): Promise<string> {
  const response = await fetch(`${url}/auth-collections/login`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'svc-dialect': 'b' },
    body: JSON.stringify(credentials),
  })
  const { token } = (await response.json()) as { token: string }
  return token
}

function ownerAt(url: string, apiKey: string) {
  return createClient<{ entries: Entry }>({ url, apiKey, transport: 'sse' })
}

/** Collects messages of a subscriber that resumes after this number, up to a document that is created then. */
async function receivedSince(url: string, apiKey: string, since: number): Promise<readonly unknown[]> {
  const entries = ownerAt(url, apiKey).collection('entries')
  const received: unknown[] = []
  const subscription = entries.subscribe({
    since,
    onChange: ({ document }) => void received.push(document.data.n),
    onResync: () => void received.push('RESYNC'),
  })
  await subscription.ready
  await entries.create({ n: -since })
  await expect.poll(() => received, patiently).toContain(-since)
  subscription.close()
  return received
}
