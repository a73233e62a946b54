/** Sign-up, login and users through the client. Nothing here needs Node, so that a browser runs it too. */
import { createClient, type SessionStore, SvcError } from '../../client/index.js'
import { type Author, type Cases, codeOf, type Post, same, until, type World } from './world.js'

const password = 'Correct4Horse'

export const authCases: Cases = {
  'signs up, stays signed in, changes itself and logs out': async ({ svc }) => {
    const email = anEmail()
    const heard: (string | undefined)[] = []
    const stop = svc.auth.onChange((session) => heard.push(session?.user.email))

    const result = await svc.auth.signUp({ email, password, data: { bio: 'Hi', tags: ['a'] } })

    if (result.requires2fa) throw new Error('No code was expected.')
    same([result.user.email, result.user.emailVerified, result.user.roles], [email, false, []])
    same((await svc.auth.me()).id, result.user.id)
    const changed = await svc.auth.update({ data: { bio: 'Ho' }, append: { tags: 'b' } })
    same(changed.data, { bio: 'Ho', tags: ['a', 'b'] })
    same((await svc.auth.session())?.user.data, changed.data)
    await svc.auth.logOut()
    same(await svc.auth.session(), undefined)
    same(await codeOf(svc.auth.me()), 'UNAUTHORIZED')
    stop()
    same([heard[0], heard.at(-1)], [email, undefined])
  },

  'logs in, and says what is wrong': async ({ svc }) => {
    const email = anEmail()
    await svc.auth.signUp({ email, password })
    await svc.auth.logOut()

    same(await codeOf(svc.auth.logIn({ email, password: 'Wrong4Horse' })), 'INVALID_CREDENTIALS')
    same(await codeOf(svc.auth.signUp({ email, password })), 'EMAIL_ALREADY_EXISTS')
    const weak = await issuesOf(svc.auth.signUp({ email: anEmail(), password: 'weak' }))
    same(weak.includes('too_short'), true)
    same((await svc.auth.logIn({ email, password })).requires2fa, false)
    await svc.auth.changePassword({ oldPassword: password, newPassword: 'New4Horses' })
    same((await svc.auth.me()).email, email)
  },

  'keeps the session where the app says, and drops one that has ended': async ({ service }) => {
    const kept: { text: string | null } = { text: null }
    const session: SessionStore = {
      read: () => kept.text,
      async write(text) {
        kept.text = text
      },
    }
    const first = createClient({ ...service, session })
    const email = anEmail()
    await first.auth.signUp({ email, password })

    const second = createClient({ ...service, session })
    same((await second.auth.me()).email, email)
    const before = (await second.auth.session())?.token
    const token = await second.auth.refresh()
    same([token === before, (await second.auth.session())?.token === token], [false, true])
    await second.auth.logOut()
    same(kept.text, null)
    same(await codeOf(first.auth.me()), 'INVALID_TOKEN')
    same(await first.auth.session(), undefined)
    same((await first.auth.logIn({ email, password })).requires2fa, false)
  },

  'leaves a login alone that another page has put in the place of one that is over': async ({ service }) => {
    const kept: { text: string | null } = { text: null }
    const session: SessionStore = {
      read: () => kept.text,
      write(text) {
        kept.text = text
      },
    }
    const [page, other] = [createClient({ ...service, session }), createClient({ ...service, session })]
    const [before, after] = [anEmail(), anEmail()]
    await page.auth.signUp({ email: before, password })
    same((await other.auth.me()).email, before)
    const heard: (string | undefined)[] = []
    other.auth.onChange((signedIn) => heard.push(signedIn?.user.email))
    await page.auth.logOut()
    await page.auth.signUp({ email: after, password })

    same(await codeOf(other.auth.me()), 'INVALID_TOKEN')

    same([kept.text?.includes(after), heard], [true, [after]])
    same((await other.auth.me()).email, after)
  },

  'shows who signs in nothing of the former user, over a WebSocket': (world) => turnsToTheNext(world, 'ws'),
  'shows who signs in nothing of the former user, over Server-Sent Events': (world) => turnsToTheNext(world, 'sse'),

  'drops a login that was ended elsewhere, over a WebSocket': (world) => dropsTheLogin(world, 'ws'),
  'drops a login that was ended elsewhere, over Server-Sent Events': (world) => dropsTheLogin(world, 'sse'),

  'turns two-factor login on and off, and logs in with codes': async ({ svc }) => {
    const email = anEmail()
    await svc.auth.signUp({ email, password })
    const { secret, otpauthUrl, qrCode } = await svc.auth.twoFactor.enable()
    same([otpauthUrl.startsWith('otpauth://totp/'), qrCode.startsWith('data:image/png')], [true, true])
    const [recovery = ''] = await svc.auth.twoFactor.verify(await totp(secret))
    await svc.auth.logOut()

    const asked = await svc.auth.logIn({ email, password })
    same([asked.requires2fa, await svc.auth.session()], [true, undefined])
    same(await codeOf(svc.auth.verifyCode({ email, code: 'nothing' })), 'INVALID_CREDENTIALS')
    same((await svc.auth.verifyCode({ email, code: recovery })).requires2fa, false)
    await svc.auth.twoFactor.disable(await totp(secret))
    same((await svc.auth.logIn({ email, password })).requires2fa, false)
  },

  'says that the fifth wrong code has ended the login, and sends no code twice': async ({ svc, service }) => {
    const email = anEmail()
    await svc.auth.signUp({ email, password })
    const { secret } = await svc.auth.twoFactor.enable()
    const [recovery = ''] = await svc.auth.twoFactor.verify(await totp(secret))
    const statuses: number[] = []
    const other = createClient({ ...service, onResponse: ({ status }) => statuses.push(status) })
    await other.auth.logIn({ email, password })

    statuses.length = 0
    const codes: (string | undefined)[] = []
    for (let n = 0; n < 5; n++) codes.push(await codeOf(other.auth.verifyCode({ email, code: 'wrong' })))

    same(codes, [...Array(4).fill('INVALID_CREDENTIALS'), 'RATE_LIMITED'])
    same(statuses, [401, 401, 401, 401, 429])
    await other.auth.logIn({ email, password })
    same((await other.auth.verifyCode({ email, code: recovery })).requires2fa, false)
  },

  'lists users, and links documents to them': async ({ svc, posts }: World) => {
    const email = anEmail()
    const result = await svc.auth.signUp({ email, password, data: { age: 30 } })
    if (result.requires2fa) throw new Error('No code was expected.')
    const { id } = result.user
    const post = await posts.create({ title: 'Tea', author: id as never })

    const page = await svc.users.list({ where: { email }, sort: '-createdAt', limit: 5 })

    same([page.items.map((user) => user.id), page.total], [[id], 1])
    same((await svc.users.list({ where: { id, roles: 'none' } })).total, 0)
    same((await svc.users.get(id)).data, { age: 30 })
    same(await codeOf(svc.users.get('nobody')), 'USER_NOT_FOUND')
    const { author } = (await posts.get(post.id, { populate: ['author'] })).data
    same(author && 'email' in author && author.email, email)
    await svc.auth.update({ data: { favourite: post.id } })
    const me = await svc.auth.user({ populate: ['favourite'] })
    same((me.data.favourite as { data: { title: string } }).data.title, 'Tea')
  },

  'reads what a provider’s redirect says': async ({ svc }) => {
    const email = anEmail()
    await svc.auth.signUp({ email, password })
    const token = (await svc.auth.session())?.token ?? ''

    same(await svc.auth.finishLogin('https://app.example/done?x=1'), undefined)
    same(await svc.auth.finishLogin('https://app.example/done?svc-error=no_email_provided'), {
      error: 'no_email_provided',
    })
    const done = await svc.auth.finishLogin(`https://app.example/done?svc-super-token=${token}`)
    same(done && 'user' in done ? done.user.email : undefined, email)
  },
}

async function turnsToTheNext({ owner, service }: World, transport: 'ws' | 'sse') {
  await owner.collections.create({ name: 'notes', permissions: { create: ['authenticated'], read: ['owner'] } })
  const svc = createClient<{ notes: Post; authors: Author }>({ ...service, transport })
  const other = createClient<{ notes: Post }>(service)
  const notes = svc.collection('notes')
  const [ada, bea] = [
    { email: anEmail(), password },
    { email: anEmail(), password },
  ]
  await svc.auth.signUp(bea)
  await svc.auth.signUp(ada)
  await other.auth.logIn(ada)
  await notes.create({ title: 'Tea' })
  const pages: string[] = []
  const received: string[] = []
  const changes = notes.subscribe({ onChange: ({ document }) => received.push(document.data.title) })
  const list = notes.live({ onPage: ({ items }) => pages.push(items.map(({ data }) => data.title).join()) })
  await changes.ready
  await until(() => list.status === 'open' && pages.at(-1) === 'Tea')

  await svc.auth.logIn(bea)
  await until(() => pages.at(-1) === '')
  // It is on the connection of the changes, which answers messages in the order they came: who asks is known by then.
  const authors = svc.collection('authors').subscribe()
  await authors.ready
  await other.collection('notes').create({ title: 'Milk' })
  await notes.create({ title: 'Coffee' })
  await until(() => received.includes('Coffee') && pages.at(-1) === 'Coffee')

  for (const one of [list, changes, authors]) one.close()
  same(received, ['Coffee'])
  same(
    pages.slice(pages.indexOf('')).filter((titles) => /Tea|Milk/.test(titles)),
    [],
  )
}

async function dropsTheLogin({ service }: World, transport: 'ws' | 'sse') {
  const kept: { text: string | null } = { text: null }
  const session: SessionStore = {
    read: () => kept.text,
    write(text) {
      kept.text = text
    },
  }
  const first = createClient({ ...service, session })
  await first.auth.signUp({ email: anEmail(), password })
  const second = createClient<{ posts: Post }>({ ...service, session, transport })
  const posts = second.collection('posts')
  const heard: unknown[] = []
  const errors: unknown[] = []
  second.auth.onChange((signedIn) => heard.push(signedIn ?? 'nobody'))
  const list = posts.live({ onError: (error) => errors.push(error) })
  const changes = posts.subscribe({ onError: (error) => errors.push(error) })
  await changes.ready
  await until(() => list.status === 'open')

  await first.auth.logOut()
  await until(() => heard.length > 0)
  same([heard, kept.text], [['nobody'], null])
  same(await second.auth.session(), undefined)
  await until(() => list.status === 'open' && changes.status === 'open')
  await posts.create({ title: 'Tea' })
  await until(() => list.page?.items[0]?.data.title === 'Tea')
  for await (const { document } of changes) {
    same(document.data.title, 'Tea')
    break
  }

  list.close()
  same(errors, [])
}

function anEmail(): string {
  return `${crypto.randomUUID()}@example.com`
}

async function issuesOf(call: Promise<unknown>): Promise<string[]> {
  const error = await call.catch((thrown) => thrown)
  return error instanceof SvcError ? error.issues.map(({ type }) => type) : []
}

/** The TOTP code. RFC 6238. */
async function totp(secret: string): Promise<string> {
  const bits = [...secret].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  const bytes = (bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))
  const key = await crypto.subtle.importKey('raw', new Uint8Array(bytes), { name: 'HMAC', hash: 'SHA-1' }, false, [
    'sign',
  ])
  const counter = new DataView(new ArrayBuffer(8))
  counter.setUint32(4, Math.floor(Date.now() / 30_000))
  const mac = new DataView(await crypto.subtle.sign('HMAC', key, counter.buffer))
  const code = mac.getUint32(mac.getUint8(19) & 15) & 0x7fffffff
  return String(code % 1_000_000).padStart(6, '0')
}
