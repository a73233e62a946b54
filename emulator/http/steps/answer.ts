/** The last step: calls the handler of the route, and encodes its value. */
import { placed } from '../../../client/protocol/model/errors.js'
import { workLong } from '../../core/concurrency/long-reads.js'
import type { Context } from '../../core/context.js'
import { once, type StoredAnswer } from '../../core/documents/idempotency.js'
import { writeReply } from '../reply/reply.js'
import type { Outgoing } from '../reply/reply-form.js'
import { type Placing, samePlace } from '../request/issue-places.js'
import { hasVersion, prefersMinimal, readIdempotencyKey } from '../request/preconditions.js'
import { fingerprint } from '../request/read-body.js'
import { isBatch, type Route } from '../route.js'
import type { Incoming, InDialect } from '../stages.js'
import type { Read } from './read.js'

/** Answers a request of a project. Keeps its files if the handler adopted them. */
export async function answer(read: Read): Promise<Outgoing> {
  const { answer, isRepeated } = await answerOnce(read)
  // A duplicate is rolled back completely, including its files.
  if (!isRepeated) read.body.uploads.commit()
  return answer
}

/** Handles the request, or repeats the stored answer if its idempotency key was used before. */
async function answerOnce(read: Read): Promise<AnsweredOnce> {
  const { admitted, head, body } = read
  const { req, dialect, served: route, ctx } = admitted
  const json = await body.toJson()
  const value = await placing(
    () => body.places(samePlace),
    () => route.body?.read(dialect, json),
  )
  // A spread that comes first would take 4 µs, because the fields after it are added one by one.
  const input = { body: value, uploads: body.uploads, ...head }
  const places = () => body.places(route.body?.places?.(dialect, json) ?? samePlace)
  // Safe, because the request was admitted, which checks the kind of caller that the route needs.
  const handle = route.handle as (ctx: Context, given: typeof input) => ReturnType<Route['handle']>
  const work = async (ctx: Context) => reply(route, await placing(places, () => handle(ctx, input)), admitted)
  const mark = fingerprint(json, body.uploads)
  const answer = async (ctx: Context): Promise<AnsweredOnce> => {
    const key = route.isCreating ? await readIdempotencyKey(req, ctx, { body: mark, dialect }) : undefined
    if (!key) return { answer: await work(ctx), isRepeated: false }
    // Routes that create never answer with a stream.
    return once(ctx, key, work as (ctx: Context) => Promise<StoredAnswer>)
  }
  return body.isLarge ? workLong(ctx, answer) : answer(ctx)
}

interface AnsweredOnce {
  readonly answer: Outgoing
  readonly isRepeated: boolean
}

/** Maps the paths of issues to places in the request body. */
async function placing<Value>(places: () => Placing, work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    throw placed(error, places())
  }
}

/** Our choice: only for batches, whose answer is as large as the request. */
const nothing: StoredAnswer = { status: 204, headers: { 'preference-applied': 'return=minimal' }, body: '' }

export function reply(
  route: Route,
  value: Awaited<ReturnType<Route['handle']>>,
  { req, dialect }: InDialect,
): Outgoing | Promise<Outgoing> {
  if (isBatch(route) && prefersMinimal(req.headers.prefer)) return nothing
  return writeReply(route.reply, value, dialect, route.status ?? 200)
}

/** Empties the answer to a read if its client already has this version. */
export function unlessCurrent({ req: { method, headers } }: Incoming, answer: Outgoing): Outgoing {
  const isReading = method === 'GET' || method === 'HEAD'
  if (!isReading || !hasVersion(headers['if-none-match'], answer.headers.etag)) return answer
  return { status: 304, headers: answer.headers, body: '' }
}
