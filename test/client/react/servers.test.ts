/** Components that a server renders, and a page takes over. */
import { createElement, Suspense } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { type Client, createClient } from '../../../client/index.js'
import { clientStore } from '../../../client/react/client-store.js'
import { startTestEmulator, type TestEmulator } from '../../../emulator/testing.js'
import { aPlace } from '../../fixtures/dom.js'
import { hooks, openStage, type Schema, type Stage, titles } from './stage.js'

let emulator: TestEmulator
let stage: Stage

beforeAll(async () => {
  emulator = await startTestEmulator()
})
afterAll(() => emulator.close())
beforeEach(async () => {
  stage = await openStage(emulator)
})
afterEach(() => stage.close())

function onServer<Result>(work: () => Result): Result {
  vi.stubGlobal('window', undefined)
  try {
    return work()
  } finally {
    vi.unstubAllGlobals()
  }
}

const aServersClient = () => createClient<Schema>({ url: stage.project.url, apiKey: stage.project.apiKey })

it('a list with suspense that a server has rendered becomes the list', async () => {
  await stage.posts.create({ title: 'A' })
  let renders = 0
  const List = () => {
    renders++
    const { items, isLoading } = hooks.useLive('posts', { suspense: true })
    return createElement('p', null, isLoading ? 'loading' : titles(items))
  }
  const Page = () => createElement(Suspense, { fallback: 'waiting' }, createElement(List))
  const place = aPlace()
  place.innerHTML = onServer(() => renderToString(stage.tree(Page, aServersClient())))
  expect(place.textContent).toBe('loading')
  renders = 0
  const problems: unknown[] = []

  const root = hydrateRoot(place, stage.tree(Page), { onRecoverableError: (error) => problems.push(error) })

  await expect.poll(() => place.textContent).toBe('A')
  expect(renders).toBeLessThan(20)
  expect(problems).toEqual([])
  await stage.posts.update((await stage.posts.list()).items[0]?.id ?? '', { title: 'B' })
  await expect.poll(() => place.textContent).toBe('B')
  root.unmount()
})

it('a server keeps no list for each question that it was asked', () => {
  const client = aServersClient()
  const Page = () => String(hooks.useDocument('posts', '1').isLoading)
  expect(onServer(() => renderToString(stage.tree(Page, client)))).toBe('true')
  const store = clientStore(client as object as Client).user()

  const [one, other] = onServer(() => [store.list('posts', {}), store.list('posts', {})])

  expect(one).not.toBe(other)
})
