/** Components that a server renders, and a page takes over. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createElement, Suspense } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { createClient } from '../../../client/index.js'
import type { TestEmulator } from '../../../emulator/testing/index.js'
import { aPlace } from '../../fixtures/dom.js'
import { openSharedEmulator } from '../../fixtures/shared-emulator.js'
import { hooks, openStage, type Schema, type Stage, titles } from './stage.js'

let emulator: TestEmulator
let stage: Stage

beforeAll(async () => {
  emulator = await openSharedEmulator()
})
beforeEach(async () => {
  stage = await openStage(emulator)
})
afterEach(() => stage.close())

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
  place.innerHTML = renderToString(stage.tree(Page, aServersClient()))
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

it('a server keeps nothing of what it was asked, and listens to nobody', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const client = aServersClient()
  const onChange = vi.spyOn(client.auth, 'onChange')
  const questions: WeakRef<object>[] = []
  const Page = () => {
    const where = { title: String(questions.length) }
    questions.push(new WeakRef(where))
    return `${hooks.useLive('posts', { where, suspense: true }).isLoading} ${hooks.useAuth().isLoading}`
  }

  const shown = Array.from({ length: 100 }, () => renderToString(stage.tree(Page, client)))
  expect(new Set(shown)).toEqual(new Set(['true true']))

  // React may hold on to what it has rendered last.
  await expect
    .poll(() => {
      collectGarbage()
      return questions.filter((question) => question.deref()).length
    })
    .toBeLessThan(10)
  expect(onChange).not.toHaveBeenCalled()
})
