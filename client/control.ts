/** The typed client of the control API, for the command line, the dashboard and tests. It is in no published client. */
import type { Contract } from './protocol/control/contract.js'
import type { NamesIn, ReplyOf, RequestOf } from './protocol/control/operation.js'
import { controlPath, operations } from './protocol/control/operations.js'
import type { Json } from './protocol/model/json.js'
import { segment } from './protocol/wire/paths/encode.js'
import type { GivenParameter } from './protocol/wire/query/format.js'
import type { Method, Request } from './send.js'

/** One call for each operation, such as `control.mail.get({ id })`: the names in its path and the request, as one object. */
export type Control = CallsOf<typeof operations, Contract>

type CallsOf<Paths, Shapes> = {
  readonly [Name in keyof Paths & keyof Shapes]: Paths[Name] extends string
    ? Call<{ readonly [Part in NamesIn<Paths[Name]>]: string } & RequestOf<Shapes[Name]>, ReplyOf<Shapes[Name]>>
    : CallsOf<Paths[Name], Shapes[Name]>
}

type Call<Input, Reply> =
  Record<string, never> extends Input ? (input?: Input) => Promise<Reply> : (input: Input) => Promise<Reply>

/** What carries a request to the service, such as `send` of a sender. */
type Carrier = (request: Request) => Promise<{ readonly body: Json }>

/**
 * Calls the control API. Replies are taken for what the contract says; a test holds the service to it.
 *
 * @throws {SvcError} whatever the service answers
 */
export function controlClient(send: Carrier, controlToken: string): Control {
  const headers = { 'svc-control-token': controlToken }
  const call = async (place: string, input: Input = {}) => {
    const { method, path, rest } = fill(place, input)
    const isInQuery = method === 'GET' || method === 'DELETE'
    const request = isInQuery ? { query: queryOf(rest) } : { body: rest.form instanceof FormData ? rest.form : rest }
    return (await send({ method, path, headers, ...request })).body
  }
  return callsOf(operations, call) as Control
}

export type ClockCalls = Pick<Control['clock'], 'get' | 'change' | 'reset'>

/** The same calls for the clock of one project, which moves nobody else's. */
export function clockOfProject({ ofProject }: Control['clock'], project: string): ClockCalls {
  return {
    get: () => ofProject.get({ project }),
    change: (move) => ofProject.change({ project, ...move }),
    reset: () => ofProject.reset({ project }),
  }
}

type Input = Readonly<Record<string, GivenParameter[1] | FormData>>
interface Paths {
  readonly [name: string]: string | Paths
}

function callsOf(paths: Paths, call: (place: string, input?: Input) => Promise<Json>): object {
  const calls = Object.entries(paths).map(([name, place]) => [
    name,
    typeof place === 'string' ? (input?: Input) => call(place, input) : callsOf(place, call),
  ])
  return Object.fromEntries(calls)
}

function queryOf(rest: Input): GivenParameter[] {
  return Object.entries(rest).flatMap(([name, value]) => (value instanceof FormData ? [] : [[name, value] as const]))
}

/** The names in the path take their values; what is left is the request. */
function fill(place: string, input: Input): { method: Method; path: string; rest: Input } {
  const [method = '', path = ''] = place.split(' ')
  const rest = { ...input }
  const filled = path.replaceAll(/:(\w+)/g, (_match, name: string) => {
    const value = String(rest[name])
    delete rest[name]
    return segment(value)
  })
  return { method: method as Method, path: controlPath + filled, rest }
}
