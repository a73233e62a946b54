/** The fixture of the client's cases. Nothing here needs Node, so that a browser runs it too. */
import { type ClientOptions, createClient, type FileUrl, type Link, SvcError } from '../../client/index.js'

export interface Author {
  name: string
}
export interface Post {
  title: string
  views?: number
  tags?: string[]
  featured?: boolean
  author?: Link<'authors'>
  cover?: FileUrl
  pages?: FileUrl[]
}

/** One case: its title, and what must be true. A failure is a thrown error. */
export type Cases = Readonly<Record<string, (world: World) => Promise<void>>>

export type World = Awaited<ReturnType<typeof openWorld>>

/** A client of a project of its own, with its two collections. */
export async function openWorld(service: ClientOptions, secretKey: string) {
  const svc = createClient<{ posts: Post; authors: Author }>(service)
  await svc.collections.create({ name: 'posts' })
  await svc.collections.create({ name: 'authors' })
  const owner = createClient({ ...service, apiKey: secretKey })
  return { svc, owner, posts: svc.collection('posts'), authors: svc.collection('authors'), service }
}

/** Polls until it holds; the test's own time limit ends it. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}

export async function codeOf(call: Promise<unknown>): Promise<string | undefined> {
  return call.then(
    () => undefined,
    (error: unknown) => (error instanceof SvcError ? error.code : String(error)),
  )
}

/** Equality as JSON, in any order of keys. */
export function same(actual: unknown, expected: unknown): void {
  const [one, other] = [actual, expected].map((value) => JSON.stringify(sorted(value)))
  if (one !== other) throw new Error(`expected ${other}, got ${one}`)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  )
}
