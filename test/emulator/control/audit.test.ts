/** The audit log: one entry for each operation of an owner, in its transaction. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import { auditedOperations } from '../../../client/protocol/model/access/audit.js'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { sql } from '../../../emulator/database/port.js'
import { deleteOldAuditRecords } from '../../../emulator/store/audit.js'
import { startOn } from '../../fixtures/databases/engine-emulators.js'
import { engines } from '../../fixtures/databases/engines.js'
import { controlOf } from '../../fixtures/events.js'

const password = 'Correct4Horse'
const nobody = '01900000-0000-7000-8000-000000000099'

describe.each(engines)('The audit log on %s', (engine) => {
  let service: Service
  beforeAll(async () => {
    service = await startOn(engine, (config) => openService({ ...defaultConfig, ...config }))
  })
  afterAll(() => service.close())

  async function aShop() {
    const control = controlOf(service)
    const { id: project, apiKey, secretKey } = await control.projects.create({ name: 'shop' })
    const { url } = service
    const owner = createClient({ url, apiKey: secretKey })
    const app = createClient({ url, apiKey })
    await owner.collections.create({ name: 'posts' })
    const { id: document } = await owner.collection('posts').create({ text: 'content of a document' })
    await app.auth.signUp({ email: 'ada@example.com', password })
    const { id: user } = await app.auth.me()
    const session = (await control.users.sessions.list({ user })).sessions[0]?.id ?? ''
    const { id: key, key: worker } = await control.keys.create({ project, secret: true, name: 'worker' })
    await control.snapshots.save({ project, name: 'full' })
    const { name: undoable } = await control.snapshots.save({ project, automatic: true, command: 'docs delete' })
    await owner.collection('posts').create({ text: 'of the command' })
    await control.snapshots.finish({ project, snapshot: undoable })
    const entries = async () => (await control.audit.list({ project })).entries
    return { control, project, apiKey, secretKey, owner, app, document, user, session, key, worker, undoable, entries }
  }
  type Shop = Awaited<ReturnType<typeof aShop>>

  /** Each operation, its subject, and its actor where that is not the control token. */
  function operationsOf(shop: Shop) {
    const { control, project, document, user, session, key, worker, undoable } = shop
    const byKey = createClient({ url: service.url, apiKey: worker })
    const keyActor = { kind: 'key', id: key, name: 'worker' }
    const settings = { appUrl: 'https://shop.example', idp: { IDP_CLIENT_SECRET: 'confidential of the provider' } }
    const place = { project, collection: 'drafts', document }
    const renamed = { schema: { title: { type: 'string' } }, permissions: { create: ['admin'] } } as const
    return [
      ['settings.changed', () => control.projects.update({ project, settings }), { names: ['appUrl', 'idp'] }],
      ['collection.created', () => byKey.collections.create({ name: 'notes' }), { collection: 'notes' }, keyActor],
      [
        'collection.changed',
        () => byKey.collections.update('posts', { name: 'drafts', ...renamed }),
        { collection: 'posts', renamedTo: 'drafts', names: ['name', 'schema', 'permissions'] },
        keyActor,
      ],
      ['collection.removed', () => byKey.collections.delete('notes'), { collection: 'notes' }, keyActor],
      [
        'document.transferred',
        () => control.creators.set({ ...place, createdBy: user }),
        { collection: 'drafts', document, user },
      ],
      ['user.created', () => control.users.create({ project, email: 'eve@x.example' }), { user: expect.any(String) }],
      [
        'user.changed',
        () => control.users.update({ user, roles: ['admin'], emailVerified: true, twoFactor: false }),
        { user, names: ['roles', 'emailVerified', 'twoFactor'] },
      ],
      ['user.token.created', () => control.users.token({ user }), { user }],
      ['user.session.ended', () => control.users.sessions.end({ user, session }), { user }],
      ['user.sessions.ended', () => control.users.logOut({ user }), { user }],
      ['user.removed', () => control.users.remove({ user }), { user }],
      ['snapshot.undone', () => control.snapshots.undo({ project }), { snapshot: undoable }],
      ['snapshot.loaded', () => control.snapshots.load({ project, snapshot: 'full' }), { snapshot: 'full' }],
      ['project.reset', () => control.projects.reset({ project, collections: ['posts'] }), { names: ['posts'] }],
      ['key.revoked', () => control.keys.revoke({ project, key }), { key }],
      ['project.reset', () => control.projects.reset({ project }), { names: ['everything'] }],
      ['project.removed', () => control.projects.remove({ project }), { names: ['shop'] }],
    ] as const
  }

  it('security: each operation is done and logged, once, or neither', async () => {
    const shop = await aShop()
    const { db } = service.backend
    const made = (await shop.entries()).map(({ operation }) => operation)

    for (const [operation, run, subject, actor] of operationsOf(shop)) {
      const before = await shop.entries()
      await db.query(sql`alter table audit_entries add constraint broken check (false) not valid`)
      await expect(run(), operation).rejects.toMatchObject({ code: 'INTERNAL' })
      await db.query(sql`alter table audit_entries drop constraint broken`)
      expect(await shop.entries()).toEqual(before)

      // It would have nothing to do, had the one before left anything.
      await run()

      const [entry, ...rest] = await shop.entries()
      const by = actor ?? { kind: 'control', id: null, name: null }
      expect(entry).toMatchObject({ operation, by, subject, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) })
      expect(entry?.subject).toEqual(subject)
      expect(rest).toEqual(before)
    }
    expect(made).toEqual(['key.created', 'collection.created', 'project.created'])
    const logged = new Set((await shop.entries()).map(({ operation }) => operation))
    expect([...logged].sort()).toEqual(Object.keys(auditedOperations).sort())
  })

  it('security: what is rolled back at its end leaves no entry', async () => {
    const { control, project, entries } = await aShop()
    const { db } = service.backend
    const before = await entries()
    await db.query(
      sql`create function svc.refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`,
    )
    await db.query(sql`create constraint trigger refused after insert on project_keys
      deferrable initially deferred for each row execute function svc.refuse()`)

    await expect(control.keys.create({ project, name: 'never' })).rejects.toMatchObject({ code: 'INTERNAL' })
    await db.query(sql`drop trigger refused on project_keys`)
    await db.query(sql`drop function svc.refuse()`)

    expect(await entries()).toEqual(before)
    expect((await control.keys.list({ project })).keys.map(({ name }) => name)).not.toContain('never')
  })

  it('security: what is refused leaves no entry', async () => {
    const { control, project, owner, app, entries, user, document } = await aShop()
    await owner.collections.update('posts', { permissions: { update: ['admin'], delete: ['admin'] } })
    const stranger = controlOf({ url: service.url, controlToken: 'wrong' })
    const before = await entries()

    const refused = [
      () => control.keys.revoke({ project, key: nobody }),
      () => control.keys.create({ project: 'none' }),
      () => control.projects.update({ project, settings: { rateLimit: [] } }),
      () => control.projects.reset({ project, collections: ['none'] }),
      () => control.users.update({ user: nobody, roles: [] }),
      () => control.users.token({ user: nobody }),
      () => control.users.remove({ user: nobody }),
      () => control.users.logOut({ user: nobody }),
      () => control.snapshots.load({ project, snapshot: 'none' }),
      () => control.snapshots.undo({ project, snapshot: 'none' }),
      () => control.creators.set({ project, collection: 'posts', document, createdBy: nobody }),
      () => control.creators.set({ project, collection: 'posts', document: nobody, createdBy: user }),
      () => owner.collections.create({ name: 'posts' }),
      () => owner.collections.delete('none'),
      () => app.collections.update('posts', { name: 'mine' }),
      () => app.collections.delete('posts'),
      () => stranger.keys.create({ project }),
      () => stranger.audit.list({ project }),
    ]
    for (const run of refused) await expect(run(), String(run)).rejects.toMatchObject({ code: expect.any(String) })

    expect(await entries()).toEqual(before)
  })

  it('security: the log holds no secret, token, password or content', async () => {
    const shop = await aShop()
    const { token } = await shop.control.users.token({ user: shop.user })
    for (const [, run] of operationsOf(shop)) await run()

    const rows = await service.backend.db.query<{ text: string }>(sql`select a::text as text from audit_entries a`)

    const text = rows.map((row) => row.text).join('\n')
    const { apiKey, secretKey, worker } = shop
    const secrets = [apiKey, secretKey, worker, token, password, 'confidential', 'content of a document']
    expect(text).toContain('IDP'.toLowerCase())
    for (const secret of [...secrets, service.controlToken, 'svc_', 'shop.example', 'ada@']) {
      expect(text.includes(secret)).toBe(false)
    }
  })

  it('a user who manages collections is named, and so is the request', async () => {
    const { app, user, control, project, entries } = await aShop()

    await app.collections.create({ name: 'theirs' })

    const [entry] = await entries()
    const { requests } = await control.requests.list({ project })
    expect(entry).toMatchObject({ by: { kind: 'user', id: user, name: null }, subject: { collection: 'theirs' } })
    expect(requests.map(({ id }) => id)).toContain(entry?.requestId)
  })

  it('is listed page by page, the newest first, by operation, and for one project alone', async () => {
    const { control, project, entries } = await aShop()
    const other = await aShop()
    for (const appUrl of ['https://a.example', 'https://b.example', null]) {
      await control.projects.update({ project, settings: { appUrl } })
    }

    const first = await control.audit.list({ project, limit: 4 })
    const second = await control.audit.list({ project, limit: 4, before: first.next ?? 0 })
    const changed = await control.audit.list({ project, operation: 'settings.changed' })

    const all = await entries()
    expect([...first.entries, ...second.entries]).toEqual(all)
    expect(second.next).toBeNull()
    expect(changed.entries).toEqual(all.slice(0, 3))
    expect((await other.entries()).filter(({ id }) => all.some((entry) => entry.id === id))).toEqual([])
    await expect(control.audit.list({ project: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('keeps the newest of each project, and none that is too old', async () => {
    const { db } = service.backend
    const busy = await aShop()
    const quiet = await aShop()
    const [all, others] = [await busy.entries(), await quiet.entries()]
    await busy.control.projects.update({ project: busy.project, settings: { appUrl: null } })
    const newest = await busy.entries()
    await db.query(sql`delete from audit_entries where project_id not in (${busy.project}, ${quiet.project})`)

    expect(await deleteOldAuditRecords(db, { before: '2000-01-01T00:00:00.000Z', kept: all.length, most: 100 })).toBe(1)
    expect([await busy.entries(), await quiet.entries()]).toEqual([newest.slice(0, all.length), others])

    await db.query(sql`update audit_entries set recorded_at = '1999-01-01' where project_id = ${quiet.project}`)
    const deleted = await deleteOldAuditRecords(db, { before: '2000-01-01T00:00:00.000Z', kept: 100, most: 2 })
    expect([deleted, (await quiet.entries()).length]).toEqual([2, others.length - 2])
  })
})
