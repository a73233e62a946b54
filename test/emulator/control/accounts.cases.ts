/** Projects, their users and mails. */
import { expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'
import type { GivenSettings } from '../../../client/protocol/control/projects.js'
import type { Opened } from './opened.js'

export function accountCases(opened: Opened): void {
  it('projects, with their settings', async () => {
    const { control } = opened
    const settings: GivenSettings = {
      dialect: 'b',
      allowedOrigins: ['https://app.example'],
      rateLimit: ['minute'],
      tier: 'standard',
      appUrl: 'https://app.example',
      idp: { IDP_CLIENT_SECRET: 'confidential' },
    }

    const { id: project } = await control.projects.create({ name: 'shop', settings })
    const { id: key } = await control.keys.create({ project, secret: true, name: 'worker', scopes: ['read:posts'] })
    const { keys } = await control.keys.list({ project })
    const shown = await control.projects.get({ project })
    const updated = await control.projects.update({ project, settings: { rateLimit: { minute: 5 }, appUrl: null } })
    await control.keys.revoke({ project, key })
    const report = await control.projects.reset({ project, users: true, mail: true })
    const { projects } = await control.projects.list()
    await control.projects.remove({ project })
    const { projects: left } = await control.projects.list()

    expect(shown).toMatchObject({ name: 'shop', settings: { ...settings, idp: ['IDP_CLIENT_SECRET'] } })
    expect(shown.keys).toEqual(keys)
    expect(keys[2]).toMatchObject({ id: key, secret: true, key: null, name: 'worker', scopes: ['read:posts'] })
    expect(report).toEqual({ collections: [], users: 0, files: 0, mails: 0 })
    expect(projects).toContainEqual({ id: project, name: 'shop', createdAt: expect.any(String) })
    expect(left).toEqual(projects.filter(({ id }) => id !== project))
    expect(updated.settings).toMatchObject({ rateLimit: { minute: 5 }, appUrl: null, tier: 'standard' })
  })

  it('the audit log', async () => {
    const { control, emulator } = opened
    const { projectId: project } = emulator
    const { id: key } = await control.keys.create({ project, name: 'audited' })

    const { entries } = await control.audit.list({ project, limit: 1 })
    const { entries: earlier, next } = await control.audit.list({ project, before: entries[0]?.id ?? 0 })

    const by = { kind: 'control', id: null, name: null }
    expect(entries).toMatchObject([{ operation: 'key.created', by, subject: { key } }])
    expect(earlier.filter(({ id }) => id >= (entries[0]?.id ?? 0))).toEqual([])
    expect(next).toBeNull()
  })

  it('creators of documents', async () => {
    const { control, emulator } = opened
    const svc = createClient(emulator)
    await svc.auth.signUp({ email: 'owner@example.com', password: 'Correct4Horse' })
    const user = await svc.auth.me()
    await svc.collections.create({ name: 'drafts' })
    const { id: document } = await svc.collection('drafts').create({})
    const place = { project: emulator.projectId, collection: 'drafts', document }

    const before = await control.creators.get(place)
    const after = await control.creators.set({ ...place, createdBy: null })

    expect(before).toEqual({ collection: 'drafts', id: document, createdBy: user.id })
    expect(after).toEqual({ ...before, createdBy: null })
  })

  it('contract 11 users are created and listed', async () => {
    const { control, emulator } = opened
    const settings: GivenSettings = { require2fa: true, trustDataRole: true }
    const { id: project, apiKey, secretKey } = await control.projects.create({ settings })
    const owner = createClient({ url: emulator.url, apiKey: secretKey })
    await owner.collections.create({ name: 'plans', permissions: { create: ['boss'] } })
    const password = 'Correct4Horse'

    const ada = await control.users.create({ project, email: ' Ada@example.com', password, data: { role: 'boss' } })
    const bob = await control.users.create({ project, email: 'bob@x.example', roles: ['admin'], emailVerified: true })
    const { users, next } = await control.users.list({ project, limit: 1 })
    const rest = await control.users.list({ project, after: next ?? '' })
    const found = await control.users.list({ project, email: 'ADA@example.com' })
    const { mails } = await control.mail.list({ project })
    const { sessions } = await control.users.sessions.list({ user: ada.id })
    const { entries } = await control.audit.list({ project, limit: 1 })
    const app = createClient({ url: emulator.url, apiKey })
    const login = await app.auth.logIn({ email: ada.email, password })
    await app.auth.use((await control.users.token({ user: ada.id })).token)
    const plan = await app.collection('plans').create({ title: 'Expand' })

    expect(ada).toMatchObject({ email: 'Ada@example.com', data: { role: 'boss' }, roles: [], email_verified: false })
    expect(bob).toMatchObject({ data: {}, roles: ['admin'], email_verified: true })
    expect([users, rest, found]).toEqual([[bob], { users: [ada], next: null }, { users: [ada], next: null }])
    expect([mails, sessions]).toEqual([[], []])
    expect(entries).toMatchObject([{ operation: 'user.created', subject: { user: bob.id } }])
    expect(login.requires2fa).toBe(true)
    expect(plan.data).toEqual({ title: 'Expand' })
    await control.users.remove({ user: ada.id })
    await control.users.remove({ user: bob.id })
    expect(await control.users.list({ project })).toEqual({ users: [], next: null })
  })

  it('contract 11 a user that cannot be created is refused, and nothing is left of it', async () => {
    const { control } = opened
    const { id: project } = await control.projects.create()
    const email = 'ada@example.com'
    await control.users.create({ project, email })
    const refused = (wish: object) => control.users.create({ project, email: 'bob@example.com', ...wish })

    await expect(refused({ email: 'ADA@example.com' })).rejects.toMatchObject({ code: 'EMAIL_ALREADY_EXISTS' })
    await expect(refused({ email: 'ada' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    await expect(refused({ password: 'weak' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    await expect(refused({ data: { $append: { tags: 'x' } } })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    await expect(refused({ project: crypto.randomUUID() })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(control.users.list({ project: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND' })

    const { users } = await control.users.list({ project })
    expect(users.map((user) => user.email)).toEqual([email])
    expect(await control.users.list({ project, email: 'no address' })).toEqual({ users: [], next: null })
    expect(await control.users.list({ project, after: 'no id' })).toEqual({ users: [], next: null })
  })

  it('users', async () => {
    const { control, emulator } = opened
    const svc = createClient(emulator)
    await svc.auth.signUp({ email: 'ada@example.com', password: 'Correct4Horse', data: { bio: 'Hi' } })
    const enrolment = await svc.auth.twoFactor.enable()
    const { id: user } = await svc.auth.me()

    const { code, otpauthUrl } = await control.users.code({ user })
    const updated = await control.users.update({ user, roles: ['admin'], emailVerified: true })
    const { token } = await control.users.token({ user })
    const signedIn = await svc.auth.use(token)
    const { sessions } = await control.users.sessions.list({ user })
    await control.users.sessions.end({ user, session: sessions[0]?.id ?? '' })
    const { sessions: left } = await control.users.sessions.list({ user })
    await control.users.logOut({ user })
    const removed = await control.users.remove({ user })

    expect(code).toMatch(/^\d{6}$/)
    expect(sessions).toHaveLength(2)
    expect(left).toEqual(sessions.slice(1))
    expect(otpauthUrl).toBe(enrolment.otpauthUrl)
    expect(updated).toMatchObject({ roles: ['admin'], data: { bio: 'Hi' }, email_verified: true })
    expect(signedIn.user).toMatchObject({ id: user, roles: ['admin'] })
    expect(removed).toEqual({ id: user })
  })

  it('mail', async () => {
    const { control, emulator } = opened
    const to = 'bob@example.com'
    const { auth } = createClient(emulator)
    await auth.signUp({ email: to, password: 'Correct4Horse' })
    await auth.requestVerification()

    const { id } = await control.mail.wait({ to, timeout: 10 })
    const { mails } = await control.mail.list({ to, limit: 1, project: emulator.projectId })
    const mail = await control.mail.get({ id })
    await control.mail.remove({ id })
    const { count } = await control.mail.clear({ to })

    expect(mails.map((each) => each.id)).toEqual([id])
    expect(mail.links).toHaveLength(1)
    expect(count).toBe(0)
  })
}
