/** Random cuts, reloads, second tabs, ended sessions, other users and restarts of the service, by seed. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Document } from '../../../client/index.js'
import type { HistoryRecord } from '../../../client/protocol/control/history.js'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { openTestEmulator } from '../../../emulator/testing/emulator.js'
import type { TestProject } from '../../../emulator/testing/index.js'
import { openDevice, type Tab } from './device.js'

/** A service on disk that can be restarted at the same address. */
export async function openRestartable() {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-offline-'))
  const options = { dir: dataDir }
  let running: Emulator = await startEmulator({ ...options, port: 0 })
  const { url, projectId: id, apiKey, secretKey = '', controlToken } = running
  const service = openTestEmulator({ id, url, apiKey, secretKey, controlToken }, () => running.close())
  return {
    service,
    async restart() {
      await running.close()
      running = await startEmulator({ ...options, port: Number(new URL(url).port) })
    },
    async close() {
      await running.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

type Restartable = Awaited<ReturnType<typeof openRestartable>>

/** What the app knows of one of its writes. Each has a number that its fields carry. */
interface Made {
  readonly number: number
  readonly user: string
  readonly kind: 'create' | 'update' | 'remove'
  /** Id of the document, as the app knew it. */
  readonly id: string
  isDiscarded: boolean
  /** Whether the app has sent it again, over what others have changed. */
  isRetried?: boolean
}

function random(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    chance: (share: number) => next() < share,
    pick: <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(next() * items.length)],
  }
}

const steps = 25

/** Runs one simulation. Throws if a write was lost, was done twice, or was sent by another user. */
export async function simulate(seed: number, { service, restart }: Restartable): Promise<void> {
  const { chance, pick } = random(seed)
  const project = await service.project()
  await project.client.collections.create({ name: 'posts' })
  const secret = project.secretClient.collection('posts')
  const users = [await project.users.create(), await project.users.create()] as const
  const shared = await secret.createMany([{ title: 'a' }, { title: 'b' }, { title: 'c' }])
  /** Documents that may be removed, so that updates of them may be lost. */
  const victims = await secret.createMany([{ title: 'x' }, { title: 'y' }, { title: 'z' }])
  const problems: string[] = []
  const made: Made[] = []

  let isLossy = false
  const device = openDevice({
    before(init) {
      checkSender(init)
      if (isLossy && chance(0.3)) throw new TypeError('cut before')
    },
    after() {
      if (!isLossy || !chance(0.3)) return
      // The outbox sends the write again, not only the client.
      if (chance(0.5)) device.isOffline = true
      throw new TypeError('cut after')
    },
  })

  /** A write carries the user who made it, and goes with that user's token. */
  function checkSender({ method = 'GET', headers, body }: RequestInit) {
    if (method === 'GET' || typeof body !== 'string') return
    const by = /"by":"([^"]+)"/.exec(body)?.[1]
    const token = new Headers(headers).get('authorization')?.split('.')[1] ?? ''
    const sender = token && JSON.parse(Buffer.from(token, 'base64url').toString()).sub
    if (by !== undefined && sender !== by) problems.push(`sent a write of ${by} as ${sender || 'nobody'}`)
  }

  const tabs: Tab[] = []
  let current: (typeof users)[number] = users[0]

  function openTab() {
    const tab = device.openTab(project, {
      onConflict: ({ key, error }) => {
        const discarded = chance(0.5)
        const one = made.find(({ number }) => numbers.get(key) === number)
        if (!discarded && error?.code === 'CONFLICT') {
          if (one) one.isRetried = true
          return 'retry'
        }
        if (one) one.isDiscarded = true
        return 'discard'
      },
    })
    tab.store.live('posts', { limit: 100 }).subscribe(() => {})
    tabs.push(tab)
    return tab
  }
  /** Numbers of writes by their keys. */
  const numbers = new Map<string, number>()

  async function signIn(user: (typeof users)[number]) {
    current = user
    const [tab = openTab()] = tabs
    const [wasOffline, wasLossy] = [device.isOffline, isLossy]
    device.isOffline = false
    isLossy = false
    await tab.client.auth.logIn(user.credentials)
    device.isOffline = wasOffline
    isLossy = wasLossy
    // Other tabs notice the login as they do in a browser.
    for (const other of tabs) if (other !== tab) other.crash()
    tabs.splice(0, tabs.length, tab)
  }

  function write(tab: Tab) {
    const number = made.length + 1
    const kind = pick(['create', 'create', 'update', 'update', 'update', 'remove'] as const) ?? 'create'
    const shown = tab.store.live('posts', { limit: 100 }).get().items
    const target = pick(kind === 'remove' ? victims : [...shown, ...shared])
    if (kind !== 'create' && !target) return
    const id = target?.id ?? ''
    const mutations = tab.store.mutations('posts')
    const by = current.id
    const known = new Set(mutationsOf(tab).map(({ key }) => key))
    const calls = {
      create: () => mutations.create({ number, by }),
      update: () => mutations.update(id, { [`n${number}`]: number, last: number, by }),
      remove: () => mutations.remove(id),
    }
    const settled: Promise<unknown> = calls[kind]()
    const key = mutationsOf(tab).find((one) => !known.has(one.key))?.key
    if (key) numbers.set(key, number)
    made.push({ number, user: by, kind, id, isDiscarded: key === undefined })
    settled.catch(() => {})
  }

  /** Waits until the browser has kept what a tab has written, or the service has saved it. */
  async function kept(tab: Tab) {
    for (;;) {
      const stored = await device.storedKeys()
      if (mutationsOf(tab).every(({ key, state }) => state === 'saved' || stored.has(key))) return
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }

  const actions: Readonly<Record<string, (tab: Tab) => unknown>> = {
    write,
    cut() {
      device.isOffline = !device.isOffline
    },
    lossy() {
      isLossy = !isLossy
    },
    tab: () => tabs.length < 3 && openTab(),
    async crash(tab) {
      // Only what the browser has kept survives.
      await kept(tab)
      tab.crash()
      tabs.splice(tabs.indexOf(tab), 1)
      if (!tabs[0]) openTab()
    },
    async other() {
      const { id } = pick(shared) as Document
      await secret.update(id, chance(0.5) ? { theirs: Math.random() } : { last: -Math.random() }).catch(() => {})
    },
    async session() {
      await Promise.all(tabs.map(kept))
      await project.control.users.logOut({ user: current.id })
      await signIn(current)
    },
    async user() {
      await Promise.all(tabs.map(kept))
      await signIn(pick(users) ?? users[0])
    },
    wait: () => new Promise((resolve) => setTimeout(resolve, 30)),
  }
  const names = [...Object.keys(actions), 'write', 'write', 'write']

  async function step() {
    const tab = pick(tabs) ?? openTab()
    await actions[pick(names) ?? 'write']?.(tab)
  }

  await signIn(users[0])
  const restartsAt = seed % 5 === 0 ? Math.floor(steps / 2) : -1
  for (let at = 0; at < steps; at++) {
    if (at === restartsAt) await restart()
    await step()
  }

  device.isOffline = false
  isLossy = false
  for (const user of users) {
    await Promise.all(tabs.map(kept))
    await signIn(user)
    const [tab] = tabs as [Tab]
    await expect.poll(() => tab.outbox.get().storage).toBe('ready')
    await expect.poll(() => counted(tab), { message: `seed ${seed}: the outbox of a user` }).toEqual([0, 0])
    const list = tab.store.live('posts', { limit: 100 })
    const actual = async () => (await secret.list({ limit: 100 })).items.map(({ id, data }) => [id, data])
    await expect
      .poll(async () => [list.get().items.map(({ id, data }) => [id, data]), await actual()], {
        message: `seed ${seed}: what the store shows`,
      })
      .toSatisfy(([shown, all]) => JSON.stringify(shown) === JSON.stringify(all))
  }
  for (const tab of tabs) tab.crash()
  await check(project, made, new Set(victims.map(({ id }) => id)), problems, seed)
}

const counted = ({ outbox }: Tab) => {
  const { pending, sending, conflicts } = outbox.get()
  return [pending.length + (sending ? 1 : 0), conflicts.length]
}

const mutationsOf = ({ store }: Tab) => store.outbox().get()

/** Each write was done exactly once, unless it was discarded, or its document was removed. */
async function check(
  project: TestProject,
  made: readonly Made[],
  victims: ReadonlySet<string>,
  problems: string[],
  seed: number,
) {
  const { items } = await project.secretClient.collection('posts').list({ limit: 100 })
  const fields = items.flatMap(({ data }) => Object.entries(data))
  const isGone = (id: string) => victims.has(id) && !items.some((item) => item.id === id)
  for (const { number, kind, id, isDiscarded } of made) {
    if (kind === 'remove') continue
    const name = kind === 'create' ? 'number' : `n${number}`
    const count = fields.filter(([field, value]) => field === name && value === number).length
    if (count > 1) problems.push(`write ${number} was done ${count} times`)
    if (count === 0 && !isDiscarded && !isGone(id)) problems.push(`write ${number} was lost`)
  }
  await checkRepeats(project, made, items, problems)
  expect(problems, `seed ${seed}`).toEqual([])
}

/** Returns the numbers of writes that changed a document more than once. */
async function findRepeated(project: TestProject, id: string): Promise<number[]> {
  const { versions } = (await project.control.history.get({
    ...{ project: project.id, collection: 'posts', document: id, limit: 200 },
  })) as object as Pick<HistoryRecord, 'versions'>
  const lasts = versions.map(({ data }) => Number(data.last ?? 0))
  const begun = lasts.filter((last, at) => last > 0 && last !== lasts[at + 1])
  return begun.filter((last, at) => begun.indexOf(last) !== at)
}

/** No update was applied more than once, unless the app decided so. */
async function checkRepeats(
  project: TestProject,
  made: readonly Made[],
  items: readonly Document[],
  problems: string[],
) {
  const again = new Set(made.filter(({ isRetried }) => isRetried).map(({ number }) => number))
  for (const { id } of items)
    for (const last of await findRepeated(project, id))
      if (!again.has(last)) problems.push(`write ${last} was applied twice`)
}
