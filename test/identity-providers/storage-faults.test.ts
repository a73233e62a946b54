import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCaches } from '../../emulator/core/caches.js'
import type { Backend } from '../../emulator/core/context.js'
import { openIds } from '../../emulator/core/ids.js'
import { createProject } from '../../emulator/core/projects/projects.js'
import { finishLogin, startLogin } from '../../emulator/core/providers/provider-logins.js'
import { type Database, DatabaseError, sql } from '../../emulator/database/port.js'
import type { IdentityProviders } from '../../emulator/idp/provider.js'
import { openMemoryBus } from '../../emulator/ports/bus/memory-bus.js'
import { selectProject } from '../../emulator/store/projects.js'
import { engines, type OpenedEngine, openEngine } from '../fixtures/databases/engines.js'
import { aBackend } from '../fixtures/stand-ins.js'

/** A provider that authenticates every login. */
const providers: IdentityProviders = {
  loginUrl: async (_client, { state }) => `https://provider.example/?${new URLSearchParams({ state })}`,
  fetchProfile: async () => ({ subject: 'ada', email: 'ada@example.com', name: 'Ada' }),
  readTokenProfile: async () => ({ subject: 'ada', email: 'ada@example.com', name: 'Ada' }),
}

const idp = {
  IDP_ISSUER: 'https://provider.example',
  IDP_CLIENT_ID: 'app',
  IDP_CLIENT_SECRET: 'secret',
  IDP_REDIRECT_URL: 'https://svc.example/back',
  IDP_COMPLETE_URL: 'https://app.example/done',
}

describe.each(engines)('on %s', (engine) => {
  let opened: OpenedEngine
  beforeAll(async () => {
    opened = await openEngine(engine)
  })
  afterAll(() => opened.stop())

  test('IDP-10 whichever statement fails behind the project’s own, the browser receives "database_error", and the next login works', async () => {
    const endings: (string | null)[] = []
    const left = new Set<string>()
    for (let failing = 2; endings.at(-1) !== null && failing < 20; failing++) {
      const working = backendOn(opened.db)
      const { state, project } = await leave(working)
      const logged: string[] = []
      const backend = { ...backendOn(failAt(opened.db, failing)), report: (what: string) => logged.push(what) }

      const ended = new URL(await finish(backend, project, state)).searchParams.get('svc-error')
      const [rows] = await opened.db.query(sql`
        select
          (select count(*) from users where project_id = ${project}) as users,
          (select count(*) from sessions where project_id = ${project}) as sessions`)
      const next = await leave(working, project)

      endings.push(ended)
      left.add(JSON.stringify(rows))
      expect(logged).toEqual(ended === null ? [] : ['provider login'])
      expect(await finish(working, project, next.state)).toMatch(/^https:\/\/app\.example\/done\?svc-super-token=/)
    }

    expect(endings.length).toBeGreaterThan(3)
    expect(new Set(endings.slice(0, -1))).toEqual(new Set(['database_error']))
    // Without a session, the user has no way in but by the next login.
    const states = [
      { users: 0, sessions: 0 },
      { users: 1, sessions: 0 },
      { users: 1, sessions: 1 },
    ]
    expect([...left]).toEqual(states.map((state) => JSON.stringify(state)))
  })
})

/** The address that the browser is sent to when it returns from the provider. */
async function finish(backend: Backend, project: string, state: string): Promise<string> {
  const parameters = new URLSearchParams({ state, code: 'x' })
  return (await finishLogin(backend, project, { parameters, cookies: undefined })).location
}

/** A pending login, of a new project or of that one. */
async function leave(backend: Backend, id?: string): Promise<{ state: string; project: string }> {
  const project = id
    ? await selectProject(backend.db, id)
    : (await createProject(backend, { name: 'test', settings: { idp } })).project
  if (!project) throw new Error(`No project "${id}".`)
  const url = new URL(await startLogin({ backend, db: backend.db, project }))
  return { state: String(url.searchParams.get('state')), project: project.id }
}

/** The parts of a backend that a login through a provider needs. */
function backendOn(db: Database): Backend {
  const bus = openMemoryBus()
  return aBackend({
    db,
    providers,
    url: () => 'https://svc.example',
    now: () => new Date(),
    newId: openIds(),
    bus,
    caches: openCaches(bus),
    report: () => undefined,
  })
}

/** A database that fails at its n-th statement, and works before and after. */
function failAt(db: Database, n: number): Database {
  let asked = 0
  function count(statements: number): void {
    asked += statements
    if (asked - statements < n && n <= asked) throw new DatabaseError('The disk is gone.', '58030')
  }
  const over = (inner: Database): Database => ({
    ...inner,
    async query(statement) {
      count(1)
      return inner.query(statement)
    },
    async batch(statements) {
      count(statements.length)
      return inner.batch(statements)
    },
    transaction: (work) => inner.transaction((tx) => work(over(tx))),
  })
  return over(db)
}
