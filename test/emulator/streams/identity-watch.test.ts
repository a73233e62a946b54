import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { defaultSettings } from '../../../client/protocol/model/project.js'
import type { Identity } from '../../../emulator/core/context.js'
import { unscoped } from '../../../emulator/core/identity.js'
import { type Database, type Sql, sql } from '../../../emulator/database/port.js'
import { openIdentityWatch } from '../../../emulator/http/guards/identity-watch.js'
import { openMemoryBus } from '../../../emulator/ports/bus/memory-bus.js'
import { insertProject } from '../../../emulator/store/projects.js'
import { type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'
import { aBackend } from '../../fixtures/stand-ins.js'

const project = { id: 'test', name: 'test', settings: defaultSettings }
const key = { id: '01900000-0000-7000-8000-000000000001', secret: false, ...unscoped }
const caller = { id: key.id, key, user: undefined, secret: false }
const before: Identity = { project, caller }
let opened: OpenedEngine

beforeAll(async () => {
  opened = await openEngine('pglite')
  const kept = { ...key, hash: 'hash', readable: 'key' }
  await insertProject(opened.db, project, [kept], '2026-01-01T00:00:00.000Z')
})
// All are looked at every few seconds: a message alone is to bring about what these tests wait for. `vi.waitFor` would move this clock.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())
afterAll(() => opened.stop())

function aWatch() {
  const bus = openMemoryBus()
  const watch = openIdentityWatch(aBackend({ db: opened.db, bus }))
  return { ...watch, somethingChanged: () => bus.publish([{ kind: 'identity' }]) }
}

const aWatcher = () => ({ changed: vi.fn(), ended: vi.fn() })
const callsOf = ({ changed, ended }: ReturnType<typeof aWatcher>) => ({
  changed: changed.mock.calls.length,
  ended: ended.mock.calls.length,
})
/** How often all are looked at where no message arrives. */
const everyMilliseconds = 5_000
/** How soon after a message. */
const soonMilliseconds = 20

it('notifies a watcher that begins with an older view of its rights, too', async () => {
  const { watch, close, somethingChanged } = aWatch()
  const [first, second] = [aWatcher(), aWatcher()]
  watch(before, first)
  const settings = { ...defaultSettings, allowedOrigins: ['https://app.example'] }
  await opened.db.query(sql`update projects set settings = ${JSON.stringify(settings)}::jsonb`)
  somethingChanged()
  await expect.poll(() => first.changed.mock.calls.length).toBe(1)

  // As another process caches it for a second.
  watch(before, second)
  somethingChanged()

  await expect.poll(() => second.changed.mock.calls.length).toBe(1)
  expect(second.changed.mock.lastCall?.[0].project.settings.allowedOrigins).toEqual(['https://app.example'])
  expect(first.changed).toHaveBeenCalledTimes(1)
  close()
})

it.each(['changed', 'ended'] as const)(
  'a database that fails ends nobody, and who has %s is told at the next look',
  async (what) => {
    let failed = 0
    const query: Database['query'] = (statement) => {
      if (failed > 0) return opened.db.query(statement)
      failed++
      return Promise.reject(new Error('The database is away.'))
    }
    const { watch, close } = openIdentityWatch(aBackend({ db: { ...opened.db, query }, bus: openMemoryBus() }))
    const watcher = aWatcher()
    const id = what === 'ended' ? 'none' : project.id
    watch({ ...before, project: { ...project, id, name: 'another' } }, watcher)

    vi.advanceTimersByTime(everyMilliseconds)
    await nextTurn()
    expect({ failed, ...callsOf(watcher) }).toEqual({ failed: 1, changed: 0, ended: 0 })
    vi.advanceTimersByTime(everyMilliseconds)

    await expect.poll(() => watcher[what].mock.calls.length).toBe(1)
    expect(callsOf(watcher)).toEqual({ changed: 0, ended: 0, [what]: 1 })
    close()
  },
)

it('looks again when something changes while it is looking', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] })
  let isHeld = false
  let goOn = () => {}
  const gate = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const query: Database['query'] = async <Row>(statement: Sql) => {
    const rows = await opened.db.query<Row>(statement)
    if (isHeld || !statement.text.includes('from projects')) return rows
    isHeld = true
    await gate
    return rows
  }
  const bus = openMemoryBus()
  const { watch, close } = openIdentityWatch(aBackend({ db: { ...opened.db, query }, bus }))
  const watcher = aWatcher()
  watch(before, watcher)
  const somethingChanged = () => {
    bus.publish([{ kind: 'identity' }])
    vi.advanceTimersByTime(soonMilliseconds)
  }
  somethingChanged()
  await expect.poll(() => isHeld).toBe(true)

  await opened.db.query(sql`update projects set name = 'renamed'`)
  somethingChanged()
  const timers = vi.getTimerCount()
  goOn()
  await expect.poll(() => vi.getTimerCount()).toBe(timers + 1)
  vi.advanceTimersByTime(soonMilliseconds)

  await expect.poll(() => watcher.changed.mock.lastCall?.[0].project.name).toBe('renamed')
  close()
})

it('ends a watcher while another is slow to be notified, and notifies it no more', async () => {
  const { watch, close, somethingChanged } = aWatch()
  let goOn = () => {}
  const busy = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const slow = { ...aWatcher(), changed: vi.fn(() => busy) }
  const behind = aWatcher()
  for (const watcher of [slow, behind]) watch({ ...before, project: { ...project, name: 'other' } }, watcher)
  somethingChanged()
  await expect.poll(() => slow.changed.mock.calls.length).toBe(1)

  await opened.db.query(sql`delete from project_keys where id = ${key.id}`)
  somethingChanged()
  await expect.poll(() => behind.ended.mock.calls.length).toBe(1)
  goOn()
  await nextTurn()

  expect(callsOf(slow)).toEqual({ changed: 1, ended: 1 })
  expect(callsOf(behind)).toEqual({ changed: 0, ended: 1 })
  close()
})
