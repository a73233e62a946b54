/** Typed client of the control API, for the command line, the dashboard and tests. Not published. */
import { type Opener, readMessages } from './control-streams.js'
import type { Contract } from './protocol/control/contract.js'
import type { NamesIn, ReplyOf, RequestOf } from './protocol/control/operation.js'
import { controlPath, operations, streams } from './protocol/control/operations.js'
import type { Json } from './protocol/model/json.js'
import { segment } from './protocol/wire/paths/encode.js'
import type { GivenParameter } from './protocol/wire/query/format.js'
import type { Method, Request } from './send.js'

/** Has one call per operation, such as `control.mail.get({ id })`. Its input holds path parameters and request in one object. */
export type Control = CallsOf<typeof operations, Contract>

type CallsOf<Paths, Shapes> = {
  readonly [Name in keyof Paths & keyof Shapes]: Paths[Name] extends string
    ? CallOf<Shapes[Name], { readonly [Part in NamesIn<Paths[Name]>]: string } & RequestOf<Shapes[Name]>>
    : CallsOf<Paths[Name], Shapes[Name]>
}

type CallOf<Shape, Input> = Shape extends { readonly isStream: true }
  ? StreamCall<Input, ReplyOf<Shape>>
  : Call<Input, ReplyOf<Shape>>

/** Yields messages until you leave the loop or the signal aborts. */
type StreamCall<Input, Message> = (
  input?: Input & { readonly signal?: AbortSignal },
) => AsyncGenerator<Message, void, undefined>

type Call<Input, Reply> =
  Record<string, never> extends Input ? (input?: Input) => Promise<Reply> : (input: Input) => Promise<Reply>

/** Sends a request to the service, such as `send` of a sender. */
type Carrier = (request: Request) => Promise<{ readonly body: Json }>

/**
 * Calls the control API. Trusts replies to match the contract, which a test ensures. Streams need `open`.
 *
 * @throws {SvcError} whatever the service answers
 */
export function controlClient(send: Carrier, controlToken: string, open?: Opener): Control {
  const headers = { 'svc-control-token': controlToken }
  const call = (place: string, input: Input = {}) => {
    const { signal, ...given } = input
    return streams.has(place) ? listen(place, given, signal) : ask(place, given)
  }
  const listen = (place: string, input: Input, signal: Input[string]) => {
    const { method, path, rest } = fill(place, input)
    if (!open) throw new TypeError('Streams need the "open" argument.')
    const request = {
      method,
      path,
      headers,
      query: toParameters(rest),
      signal: signal instanceof AbortSignal ? signal : undefined,
    }
    return readMessages(open, request)
  }
  const ask = async (place: string, input: Input) => {
    const { method, path, rest } = fill(place, input)
    const isInQuery = method === 'GET' || method === 'DELETE'
    const request = isInQuery
      ? { query: toParameters(rest) }
      : rest.form instanceof FormData
        ? { form: rest.form }
        : { body: rest }
    return (await send({ method, path, headers, ...request })).body
  }
  return buildCalls(operations, call) as Control
}

export type ClockCalls = Pick<Control['clock'], 'get' | 'change' | 'reset'>

/** Returns the clock calls for one project. They do not affect other projects. */
export function clockOfProject({ ofProject }: Control['clock'], project: string): ClockCalls {
  return {
    get: () => ofProject.get({ project }),
    change: (move) => ofProject.change({ project, ...move }),
    reset: () => ofProject.reset({ project }),
  }
}

type Input = Readonly<Record<string, GivenParameter[1] | FormData | AbortSignal>>
interface Paths {
  readonly [name: string]: string | Paths
}

function buildCalls(paths: Paths, call: (place: string, input?: Input) => object): object {
  const calls = Object.entries(paths).map(([name, place]) => [
    name,
    typeof place === 'string' ? (input?: Input) => call(place, input) : buildCalls(place, call),
  ])
  return Object.fromEntries(calls)
}

function toParameters(rest: Input): GivenParameter[] {
  return Object.entries(rest).flatMap(([name, value]) =>
    value instanceof FormData || value instanceof AbortSignal ? [] : [[name, value] as const],
  )
}

/** Fills the path parameters, and returns the rest of the input as the request. */
function fill(place: string, input: Input): { method: Method; path: string; rest: Input } {
  const [method = '', path = ''] = place.split(' ')
  const rest = { ...input }
  const filled = path.replaceAll(/:(\w+)/g, (_match, name: string) => {
    const value = rest[name]
    delete rest[name]
    return segment(value as string)
  })
  return { method: method as Method, path: controlPath + filled, rest }
}
