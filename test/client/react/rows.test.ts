/** A long list renders only the rows that changed, and shows a new document in the next frame. */
import { createElement, memo } from 'react'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Document } from '../../../client/index.js'
import type { TestEmulator } from '../../../emulator/testing/index.js'
import { openSharedEmulator } from '../../fixtures/shared-emulator.js'
import { hooks, openStage, type Post, type Stage } from './stage.js'

const { useLive, useMutation } = hooks

let emulator: TestEmulator
let stage: Stage
let rendered: string[]
let lists: number
let writes: ReturnType<typeof useMutation<'posts'>>

beforeAll(async () => {
  emulator = await openSharedEmulator()
})
beforeEach(async () => {
  rendered = []
  lists = 0
  stage = await openStage(emulator, { dialect: 'b' })
})
afterEach(() => stage.close())

const Row = memo(({ post }: { post: Document<Post> }) => {
  rendered.push(post.data.title)
  return createElement('li', null, post.data.title)
})

function Page() {
  const { items } = useLive('posts', { sort: 'title', limit: 500 })
  lists++
  return createElement('ul', null, ...items.map((post) => createElement(Row, { key: post.id, post })))
}

/** Writes in a component of its own, so that the list renders only for what it shows. */
function Writes() {
  writes = useMutation('posts')
  return null
}

it('renders one row for a write, whether it waits, is saved, or is read again', async () => {
  const titles = Array.from({ length: 500 }, (_, at) => `Post ${1_000 + at}`)
  const posts = await stage.posts.createMany(titles.slice(1).map((title) => ({ title })))
  stage.render(() => createElement('div', null, createElement(Page), createElement(Writes)))
  await expect.poll(() => stage.place.querySelectorAll('li').length).toBe(499)
  await expect
    .poll(async () => (await stage.project.control.connections?.list?.({ project: stage.project.id })) as object)
    .toMatchObject({
      connections: [{}],
    })
  rendered = []

  await writes.create({ title: 'Post 1000' })
  await writes.update(posts[249]?.id ?? '', { title: 'Post 1250', views: 1 })
  await writes.remove(posts[399]?.id ?? '')
  await new Promise((resolve) => setTimeout(resolve, 500))

  expect(stage.place.querySelectorAll('li')).toHaveLength(499)
  expect(stage.place.querySelector('li')?.textContent).toBe('Post 1000')
  expect([...new Set(rendered)]).toEqual(['Post 1000', 'Post 1250'])
  // Pending, and saved with the id and the times of the service.
  expect(rendered.length).toBeLessThanOrEqual(4)
  expect(lists).toBeLessThan(12)
})
