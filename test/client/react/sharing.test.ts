/** One list for all who ask the same, through whatever React does with the components. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Activity, createElement, type ReactNode, Suspense, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { createHooks } from '../../../client/react/index.js'
import type { TestEmulator } from '../../../emulator/testing/index.js'
import { aPlace } from '../../fixtures/dom.js'
import { bundle } from '../../fixtures/packages/bundle.js'
import { openSharedEmulator } from '../../fixtures/shared-emulator.js'
import { hooks, openStage, type Schema, type Stage, titles } from './stage.js'

const { useLive } = hooks

let emulator: TestEmulator
let stage: Stage
/** How often the client has asked for changes. */
let subscribed: number

class CountingSocket extends WebSocket {
  constructor(url: string) {
    super(url)
    const send = this.send.bind(this)
    this.send = (data: string) => {
      if (data.includes('"subscribe"')) subscribed++
      send(data)
    }
  }
}

beforeAll(async () => {
  emulator = await openSharedEmulator()
})
beforeEach(async () => {
  subscribed = 0
  stage = await openStage(emulator, { WebSocket: CountingSocket })
})
afterEach(() => stage.close())

const connections = async () => {
  const answer = await stage.project.control.connections?.list?.({ project: stage.project.id })
  return (answer as { connections: object[] }).connections
}

it('a list that was hidden for long is shown again as it was, and goes on as one', async () => {
  await stage.posts.create({ title: 'A' })
  const seen: string[] = []
  const List = ({ text }: { text: string }) => {
    const { items, isLoading } = useLive('posts', { sort: 'title' })
    seen.push(isLoading ? 'loading' : titles(items))
    return `${text} ${titles(items)}`
  }
  let props: { mode: 'visible' | 'hidden'; children: ReactNode } = { mode: 'visible', children: null }
  const Page = () => createElement(Activity, props)
  const render = (mode: 'visible' | 'hidden', text: string) => {
    props = { mode, children: createElement(List, { text }) }
    stage.render(Page)
  }
  render('visible', '1')
  await stage.shows('1 A')
  await expect.poll(connections).toHaveLength(1)
  render('hidden', '1')
  await expect.poll(connections).toEqual([])
  seen.length = 0

  render('visible', '2')
  await expect.poll(connections).toHaveLength(1)
  await stage.posts.create({ title: 'B' })
  await stage.shows('2 A,B')
  render('visible', '3')
  await stage.shows('3 A,B')

  expect(seen).not.toContain('loading')
  expect(subscribed).toBe(2)
})

it('a list that one component waits for is not closed for another that has left', async () => {
  let answer = () => {}
  const mayAnswer = new Promise<void>((resolve) => {
    answer = resolve
  })
  const late: typeof fetch = async (...given) => {
    await mayAnswer
    return fetch(...given)
  }
  stage.close()
  stage = await openStage(emulator, { fetch: late })
  await stage.posts.create({ title: 'A' })
  const asked = vi.spyOn(stage.svc, 'collection')
  let seen = false
  const Passing = () => {
    useEffect(() => {
      seen = true
    }, [])
    return titles(useLive('posts').items)
  }
  const Waiting = () => titles(useLive('posts', { suspense: true }).items)
  // In a tree of its own: the other is not rendered again when it leaves.
  const passing = createRoot(aPlace())
  stage.render(() => createElement(Suspense, { fallback: 'waiting' }, createElement(Waiting)))
  await stage.shows('waiting')
  passing.render(stage.tree(Passing))
  await expect.poll(() => seen).toBe(true)

  passing.unmount()
  // Longer than a list stays open that no component shows.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  answer()
  await stage.shows('A')

  expect(asked.mock.calls.filter(([name]) => name === 'posts')).toHaveLength(1)
})

it('a list that is waited for no more is closed although nothing came, and one that is stays', async () => {
  let answer = () => {}
  const mayAnswer = new Promise<void>((resolve) => {
    answer = resolve
  })
  stage.close()
  stage = await openStage(emulator, {
    WebSocket: CountingSocket,
    fetch: async (...given) => {
      await mayAnswer
      return fetch(...given)
    },
  })
  await stage.posts.create({ title: 'A' })
  const List = ({ sort }: { sort: 'title' | '-title' }) => titles(useLive('posts', { sort, suspense: true }).items)
  const waits = (sort: 'title' | '-title') =>
    createElement(Suspense, { key: sort, fallback: 'waiting ' }, createElement(List, { sort }))
  stage.render(() => [waits('title'), waits('-title')])
  await stage.shows('waiting waiting ')
  await expect.poll(connections).toHaveLength(2)

  stage.render(() => waits('title'))
  await stage.shows('waiting ')
  await expect.poll(connections).toHaveLength(1)
  answer()
  await stage.shows('A')
  expect(subscribed).toBe(2)
})

it('a list and a login are followed where there is no window, as in a terminal', async () => {
  const { hooks: others, close } = await loadedWithoutWindow()
  const ada = await stage.project.users.create({ email: 'ada@example.com' })
  const first = await stage.posts.create({ title: 'A' })
  let renders = 0
  const Page = () => {
    renders++
    const { user, isLoading } = others.useAuth()
    const who = isLoading ? 'loading' : (user?.email ?? 'nobody')
    return `${who}: ${titles(others.useLive('posts', { sort: 'title' }).items)}`
  }
  stage.render(() => createElement(others.SvcProvider, { client: stage.svc }, createElement(Page)))

  await stage.shows('nobody: A')
  await stage.posts.update(first.id, { title: 'B' })
  await stage.shows('nobody: B')
  await stage.svc.auth.logIn(ada.credentials)
  await stage.shows('ada@example.com: B')
  expect(renders).toBeLessThan(30)
  await close()
})

/** The hooks as a module of their own, in which no `window` can be seen, while React has one to render into. */
async function loadedWithoutWindow() {
  const { code } = await bundle(fileURLToPath(new URL('../../../client/react/index.ts', import.meta.url)))
  const react = pathToFileURL(createRequire(import.meta.url).resolve('react')).href
  const folder = await mkdtemp(join(tmpdir(), 'svc-hooks-'))
  const file = join(folder, 'hooks.mjs')
  await writeFile(file, `const window = undefined\n${code.replace('"react"', JSON.stringify(react))}`)
  const module: { createHooks: typeof createHooks } = await import(pathToFileURL(file).href)
  return { hooks: module.createHooks<Schema>(), close: () => rm(folder, { recursive: true }) }
}
