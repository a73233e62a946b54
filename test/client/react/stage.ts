/** A project with posts, a client of it, and a page to render into. */
import { createElement, type FunctionComponent } from 'react'
import { createRoot } from 'react-dom/client'
import { expect } from 'vitest'
import { WebSocket } from 'ws'
import { type Client, type ClientOptions, createClient, type Document } from '../../../client/index.js'
import { createHooks } from '../../../client/react/index.js'
import type { TestEmulator } from '../../../emulator/testing/index.js'
import { aPlace } from '../../fixtures/dom.js'

export interface Post {
  title: string
  views?: number
}
export type Schema = { posts: Post }

export const hooks = createHooks<Schema>()

export const titles = (items: readonly Document<Post>[]) => items.map(({ data }) => data.title).join(',')

export async function openStage(emulator: TestEmulator, options: Partial<ClientOptions> = {}) {
  const project = await emulator.project<Schema>()
  await project.client.collections.create({ name: 'posts' })
  const svc = createClient<Schema>({ ...project, transport: 'ws', WebSocket, ...options })
  const place = aPlace()
  // Those that a boundary catches are asserted on, not printed.
  const root = createRoot(place, { onCaughtError: () => undefined })
  const stage = {
    project,
    svc,
    place,
    posts: project.secretClient.collection('posts'),
    shows: (expected: string) => expect.poll(() => place.textContent).toBe(expected),
    /** A component below a provider. */
    tree: (component: FunctionComponent, client: Client<Schema> = svc) =>
      createElement(hooks.SvcProvider, { client }, createElement(component)),
    render: (component: FunctionComponent) => root.render(stage.tree(component)),
    close: () => root.unmount(),
  }
  return stage
}

export type Stage = Awaited<ReturnType<typeof openStage>>
