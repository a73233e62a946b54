/** Tests queries of lists and pages: values that cannot be sent, and limits above those of the service. */
import { Component, createElement, type ReactNode, Suspense, useState } from 'react'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { SvcError } from '../../../client/index.js'
import { createHooks } from '../../../client/react/index.js'
import type { TestEmulator } from '../../../emulator/testing/index.js'
import { openSharedEmulator } from '../../fixtures/shared-emulator.js'
import { hooks, openStage, type Post, type Stage, titles } from './stage.js'

const { useDocument, useLive, useMutation, usePage } = hooks

let emulator: TestEmulator
let stage: Stage

beforeAll(async () => {
  emulator = await openSharedEmulator()
})
beforeEach(async () => {
  stage = await openStage(emulator)
})
afterEach(() => stage.close())

const cycle: { self?: object } = {}
cycle.self = cycle

it.each([
  ['not a number', Number('abc')],
  ['a bigint', 10n],
  ['a cycle', cycle],
  ['a function', () => 1],
])('says that a value cannot be sent, and the page stays: %s', async (_, value) => {
  const query = { where: { views: value as number } }
  const List = () => useLive('posts', query).error?.code ?? 'none'
  const Found = () => useDocument('posts', value as never).error?.code ?? 'none'
  const Pages = () => usePage('posts', query).error?.code ?? 'none'
  await stage.posts.create({ title: 'A' })

  stage.render(() => {
    const other = titles(useLive('posts').items)
    return createElement('p', null, `${other} `, ...[List, Found, Pages].flatMap((one) => [createElement(one), ' ']))
  })

  await stage.shows('A VALIDATION_ERROR VALIDATION_ERROR VALIDATION_ERROR ')
})

it('a question that cannot be asked is told apart from one that can', async () => {
  await stage.posts.create({ title: 'A' })
  const Refused = () => useLive('posts', { where: { views: Number.NaN } }).error?.code ?? 'none'
  const Asked = () => useLive('posts', { where: { views: null as never } }).error?.code ?? 'none'

  stage.render(() => createElement('p', null, createElement(Refused), ' ', createElement(Asked)))

  await stage.shows('VALIDATION_ERROR none')
})

it('a write that cannot be sent is taken back, and lists go on', async () => {
  let mutate: ReturnType<typeof useMutation<'posts'>> | undefined
  // Written after the clock of the page: such documents are compared with those that are on their way.
  await stage.project.clock.advance({ hours: 1 })
  await stage.posts.create({ title: 'A' })
  stage.render(() => {
    mutate = useMutation('posts')
    return `${titles(useLive('posts').items)} ${mutate.error?.code ?? ''}`
  })
  await stage.shows('A ')

  await expect(mutate?.create({ title: 'A', views: 10n as never })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })

  await stage.shows('A VALIDATION_ERROR')
  await stage.posts.create({ title: 'C' })
  await stage.shows('C,A VALIDATION_ERROR')
})

it('a list with suspense throws it to the error boundary', async () => {
  const List = () => titles(useLive('posts', { suspense: true, where: { views: Number.NaN } }).items)

  stage.render(() => createElement(Boundary, null, createElement(Suspense, null, createElement(List))))

  await stage.shows('VALIDATION_ERROR')
})

class Boundary extends Component<{ children?: ReactNode }> {
  override state: { error?: SvcError } = {}
  static getDerivedStateFromError = (error: SvcError) => ({ error })
  override render() {
    return this.state.error?.code ?? this.props.children
  }
}

it.each([
  ['tells', 'a'],
  ['tells in a header', 'a, list=array'],
  ['does not tell', 'a, list=array'],
])(
  'pages reach every document where more is asked for than the service gives, and it %s its limit',
  async (says, dialect) => {
    const aFetch: typeof fetch = async (...given) => {
      const answer = await fetch(...given)
      const headers = new Headers(answer.headers)
      if (says === 'does not tell') headers.delete('x-limit')
      return new Response(answer.body, { status: answer.status, headers })
    }
    stage.close()
    stage = await openStage(emulator, { dialect, fetch: aFetch })
    await stage.posts.createMany(Array.from({ length: 250 }, (_, at) => ({ title: String(1_000 + at) })))
    let pages: ReturnType<typeof usePage<'posts'>> | undefined
    stage.render(() => {
      pages = usePage('posts', { sort: 'title', limit: 150 })
      const { items, page, pageCount, total, isLoading } = pages
      const ends = [items[0], items.at(-1)].map((item) => item?.data.title).join('–')
      return isLoading ? 'loading' : `${ends}, ${page + 1}/${pageCount} of ${total}`
    })

    await stage.shows('1000–1099, 1/3 of 250')
    pages?.next()
    await stage.shows('1100–1199, 2/3 of 250')
    pages?.next()
    await stage.shows('1200–1249, 3/3 of 250')
    pages?.reload()
    pages?.previous()
    await stage.shows('1100–1199, 2/3 of 250')
  },
)

it('a page that is turned to before the first was read is the right one', async () => {
  await stage.posts.createMany(Array.from({ length: 250 }, (_, at) => ({ title: String(1_000 + at) })))
  await stage.project.faults.add({ kind: 'latency', milliseconds: 300, method: 'GET', times: 1 })
  let pages: ReturnType<typeof usePage<'posts'>> | undefined
  stage.render(() => {
    pages = usePage('posts', { sort: 'title', limit: 150 })
    return pages.isLoading ? 'loading' : `${pages.items[0]?.data.title} ${pages.page + 1}/${pages.pageCount}`
  })
  await stage.shows('loading')

  pages?.next()

  await stage.shows('1100 2/3')
})

it('a page of another collection has nothing of the one before, also where it cannot be read', async () => {
  const { usePage } = createHooks<{ [name: string]: Post }>()
  await stage.posts.create({ title: 'A' })
  const shown = new Set<string>()
  let choose: (name: string) => void = () => undefined
  stage.render(() => {
    const [name, setName] = useState('posts')
    choose = setName
    const { items, error } = usePage(name)
    const text = `${name}: ${titles(items)}${error?.code ?? ''}`
    shown.add(text)
    return text
  })
  await stage.shows('posts: A')

  choose('authors')

  await stage.shows('authors: NOT_FOUND')
  expect([...shown]).toEqual(['posts: ', 'posts: A', 'authors: ', 'authors: NOT_FOUND'])
})

it('useMutation of another collection shows no error and no pending write of the one before', async () => {
  const { useMutation } = createHooks<{ [name: string]: Post }>()
  const unanswered: typeof fetch = () => new Promise(() => undefined)
  stage.close()
  stage = await openStage(emulator, { fetch: unanswered })
  let choose: (name: string) => void = () => undefined
  let mutate: ReturnType<typeof useMutation<string>> | undefined
  stage.render(() => {
    const [name, setName] = useState('posts')
    choose = setName
    mutate = useMutation(name)
    return `${name}: ${mutate.pendingCount} ${mutate.error?.code ?? ''}`
  })
  await stage.shows('posts: 0 ')
  void mutate?.create({ title: 'A' })
  await expect(mutate?.create({ title: 'B', views: 10n as never })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  await stage.shows('posts: 1 VALIDATION_ERROR')

  choose('authors')
  await stage.shows('authors: 0 ')
  choose('posts')
  await stage.shows('posts: 1 VALIDATION_ERROR')
})
