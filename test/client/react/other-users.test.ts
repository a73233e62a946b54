/** Tests that data of one user is never shown to the next. */
import { createElement, Suspense, useLayoutEffect } from 'react'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { TestEmulator, TestUser } from '../../../emulator/testing/index.js'
import { openSharedEmulator } from '../../fixtures/shared-emulator.js'
import { hooks, openStage, type Stage, titles } from './stage.js'

const { useAuth, useDocument, useLive, useMutation, usePage } = hooks

let emulator: TestEmulator
let stage: Stage
let ada: TestUser
let bob: TestUser
let idOfSecret: string
/** Each text that was shown since a test last emptied it. */
let seen: string[]

beforeAll(async () => {
  emulator = await openSharedEmulator()
})
beforeEach(async () => {
  stage = await openStage(emulator)
  const { users, secretClient } = stage.project
  ada = await users.create({ email: 'ada@example.com' })
  bob = await users.create({ email: 'bob@example.com' })
  const permissions = { create: ['authenticated'], read: ['owner'], update: ['owner'], delete: ['owner'] }
  await secretClient.collections.update('posts', { permissions })
  idOfSecret = (await (await users.actAs(ada)).collection('posts').create({ title: 'Secret' })).id
  await (await users.actAs(bob)).collection('posts').create({ title: 'Own' })
  await stage.svc.auth.logIn(ada.credentials)
  seen = []
})
afterEach(() => stage.close())

const shown = (isLoading: boolean, titles: string) => (isLoading ? `loading ${titles}` : titles)

const hooksOfReading: [hook: string, useShown: () => string, ofBob: string][] = [
  [
    'useLive',
    () => {
      const { items, isLoading } = useLive('posts')
      return shown(isLoading, titles(items))
    },
    'Own',
  ],
  [
    'useDocument',
    () => {
      const { document, isLoading } = useDocument('posts', idOfSecret)
      return shown(isLoading, document?.data.title ?? '')
    },
    '',
  ],
  [
    'usePage',
    () => {
      const { items, isLoading } = usePage('posts')
      return shown(isLoading, titles(items))
    },
    'Own',
  ],
]

/** Shows the signed-in user, and the data of a hook. */
function render(useShown: () => string) {
  stage.render(() => {
    const { user } = useAuth()
    const text = `${user?.email.split('@')[0] ?? 'nobody'}: ${useShown()}`
    useLayoutEffect(() => void seen.push(text))
    return text
  })
}

it.each(hooksOfReading)('%s shows nothing of one user after the login of another', async (_, useShown, ofBob) => {
  render(useShown)
  await stage.shows('ada: Secret')
  await stage.project.faults.add({ kind: 'latency', milliseconds: 200, method: 'GET' })
  seen = []

  await stage.svc.auth.logIn(bob.credentials)

  await stage.shows(`bob: ${ofBob}`)
  expect(seen).toContain('bob: loading ')
  expect(seen.filter((text) => /^(bob|nobody).*Secret/.test(text))).toEqual([])
})

it.each(hooksOfReading)('%s shows nothing of a user who has signed out', async (_, useShown, ofBob) => {
  render(useShown)
  await stage.shows('ada: Secret')

  await stage.svc.auth.logOut()
  await expect.poll(() => stage.place.textContent).toMatch(/^nobody: (?!loading)/)
  await stage.svc.auth.logIn(bob.credentials)

  await stage.shows(`bob: ${ofBob}`)
  expect(seen.filter((text) => /^(bob|nobody).*Secret/.test(text))).toEqual([])
})

it('a list with suspense waits for what the next user may read', async () => {
  const List = () => titles(useLive('posts', { suspense: true }).items)
  stage.render(() => createElement(Suspense, { fallback: 'waiting' }, createElement(List)))
  await stage.shows('Secret')
  await stage.project.faults.add({ kind: 'latency', milliseconds: 200, method: 'GET' })

  await stage.svc.auth.logIn(bob.credentials)

  await stage.shows('waiting')
  await stage.shows('Own')
})

it('what one user is still writing is not shown to the next', async () => {
  let mutate: ReturnType<typeof useMutation<'posts'>> | undefined
  render(() => {
    mutate = useMutation('posts', { retry: true })
    const { items, isLoading } = useLive('posts', { sort: 'title' })
    return shown(isLoading, titles(items))
  })
  await stage.shows('ada: Secret')
  await stage.project.faults.add({ kind: 'status', status: 503, method: 'POST', path: '/collections/**' })
  mutate?.create({ title: 'Very Secret' }).catch(() => undefined)
  await stage.shows('ada: Secret,Very Secret')

  await stage.svc.auth.logIn(bob.credentials)

  await stage.shows('bob: Own')
  expect(seen.filter((text) => /^bob.*Secret/.test(text))).toEqual([])
})

it('a new token of the same user changes nothing', async () => {
  render(hooksOfReading[0]?.[1] ?? String)
  await stage.shows('ada: Secret')
  seen = []

  await stage.svc.auth.refresh()
  await (await stage.project.users.actAs(ada)).collection('posts').update(idOfSecret, { title: 'Secret 2' })

  await stage.shows('ada: Secret 2')
  expect(seen).not.toContain('ada: loading ')
})
