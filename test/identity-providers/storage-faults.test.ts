import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCaches } from '../../emulator/core/caches.js'
import type { Backend } from '../../emulator/core/context.js'
import { openIds } from '../../emulator/core/ids.js'
import { createProject } from '../../emulator/core/projects/projects.js'
import { finishLogin, startLogin } from '../../emulator/core/providers/provider-logins.js'
import { type Database, DatabaseError } from '../../emulator/database/port.js'
import type { IdentityProviders } from '../../emulator/idp/provider.js'
import { openMemoryBus } from '../../emulator/ports/bus/memory-bus.js'
import { selectProject } from '../../emulator/store/projects.js'
import { engines, type OpenedEngine, openEngine } from '../fixtures/databases/engines.js'
import { aBackend } from '../fixtures/stand-ins.js'

/** A provider that authenticates every login. */
const providers: IdentityProviders = {
  loginUrl: async (_client, { state }) => `https://provider.example/?${new URLSearchParams({ state })}`,
  profileOf: async () => ({ subject: 'ada', email: 'ada@example.com', name: 'Ada' }),
  profileOfToken: async () => ({ subject: 'ada', email: 'ada@example.com', name: 'Ada' }),
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

  test('IDP-10 whichever statement fails behind the project’s own, the browser receives "database_error"', async () => {
    const endings: (string | null)[] = []
    for (let failing = 2; endings.at(-1) !== null && failing < 20; failing++) {
      const { state, project } = await leave(backendOn(opened.db))
      const logged: string[] = []
      const backend = { ...backendOn(failAt(opened.db, failing)), report: (what: string) => logged.push(what) }

      const parameters = new URLSearchParams({ state, code: 'x' })
      const sent = await finishLogin(backend, project, { parameters, cookies: undefined })
      const location = new URL(sent.location)

      endings.push(location.searchParams.get('svc-error'))
      expect(logged).toEqual(endings.at(-1) === null ? [] : ['provider login'])
    }

    expect(endings.length).toBeGreaterThan(3)
    expect(new Set(endings.slice(0, -1))).toEqual(new Set(['database_error']))
  })

  test('IDP-10 a login that failed so leaves no user without a way in', async () => {
    const { state, project } = await leave(backendOn(opened.db))
    // The user is inserted by then, the session is not.
    const failing = backendOn(failAt(opened.db, 6))
    const finish = (backend: Backend, state: string) =>
      finishLogin(backend, project, { parameters: new URLSearchParams({ state, code: 'x' }), cookies: undefined })
    const failed = await finish(failing, state)

    const next = await leave(backendOn(opened.db), project)
    const again = await finish(backendOn(opened.db), next.state)

    expect(failed.location).toBe('https://app.example/done?svc-error=database_error')
    expect(again.location).toMatch(/^https:\/\/app\.example\/done\?svc-super-token=/)
  })
})

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
  return {
    ...db,
    async query(statement) {
      if (++asked === n) throw new DatabaseError('The disk is gone.', '58030')
      return db.query(statement)
    },
  }
}
