import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Control, controlClient } from '../../../client/control.js'
import { contract } from '../../../client/protocol/control/contract.js'
import type { Operation } from '../../../client/protocol/control/operation.js'
import { operations, streams } from '../../../client/protocol/control/operations.js'
import { openSender } from '../../../client/send.js'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { accountCases } from './accounts.cases.js'
import { dependantsCases } from './dependants.cases.js'
import { observationCases } from './observed.cases.js'
import type { Opened } from './opened.js'
import { parityCases } from './parity.cases.js'
import { planCases } from './plans.cases.js'
import { rightsCases } from './rights.cases.js'
import { simulationCases } from './simulated.cases.js'
import { stateCases } from './state.cases.js'

// The clock is shared by all tests, so these have an emulator of their own.

let folder: string
let emulator: Emulator
let control: Control
const called = new Set<string>()
const opened: Opened & { readonly stateFolder: string } = {
  get emulator() {
    return emulator
  },
  get control() {
    return control
  },
  get stateFolder() {
    return join(folder, '.svc')
  },
}
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-control-'))
  emulator = await startEmulator({ memory: true, dir: opened.stateFolder })
  const { send, openStream } = openSender({ url: emulator.url })
  control = checked('', controlClient(send, emulator.controlToken, openStream), contract)
})
afterAll(async () => {
  await emulator.close()
  await rm(folder, { recursive: true, force: true })
})

type Call = (input?: object) => Promise<unknown>

/** The same calls, whose replies have to match the contract exactly. */
function checked<Calls extends object>(id: string, calls: Calls, shapes: object): Calls {
  const members = Object.entries(calls).map(([name, call]: [string, Call | object]) => {
    const shape: unknown = Object.entries(shapes).find(([other]) => other === name)?.[1]
    if (typeof call !== 'function') return [name, checked(`${id}${name}.`, call, Object(shape))]
    const { reply, isStream } = shape as Operation
    if (isStream) return [name, checkedStream(`${id}${name}`, reply, call as StreamCall)]
    return [
      name,
      async (input?: object) => {
        called.add(`${id}${name}`)
        return reply.parse(await call(input))
      },
    ]
  })
  return Object.fromEntries(members)
}

type StreamCall = (input?: object) => AsyncIterable<unknown>

function checkedStream(id: string, reply: Operation['reply'], call: StreamCall): StreamCall {
  return async function* (input) {
    called.add(id)
    for await (const message of call(input)) yield reply.parse(message)
  }
}

function requestsIn(paths: object, shapes: object): (Pick<Operation, 'request' | 'isStream'> & { path: string })[] {
  return Object.entries(paths).flatMap(([name, path]) => {
    const shape: object = Object(Object.entries(shapes).find(([other]) => other === name)?.[1])
    return typeof path === 'string'
      ? [{ path, request: (shape as Operation).request, isStream: (shape as Operation).isStream }]
      : requestsIn(path, shape)
  })
}

function idsIn(tree: object, id = ''): string[] {
  return Object.entries(tree).flatMap(([name, member]) =>
    typeof member === 'string' ? [`${id}${name}`] : idsIn(member, `${id}${name}.`),
  )
}

it('contract 11 describes itself at /_svc/openapi.json, and is described with the rest at /openapi.json', async () => {
  const pathsAt = async (path: string) => Object.keys((await (await fetch(`${emulator.url}${path}`)).json()).paths)
  const own = requestsIn(operations, contract).map(({ path: place }) => {
    const [, path = ''] = place.split(' ')
    return `/_svc/api${path.replaceAll(/:(\w+)/g, '{$1}')}`
  })

  // Streams of a file are no calls of the typed client.
  const files = ['snapshot-file', 'snapshots/{snapshot}/file'].map((path) => `/_svc/api/projects/{project}/${path}`)

  const described = await pathsAt('/_svc/openapi.json')

  const all = [...new Set([...own, ...files])].sort()
  expect(described.filter((path) => path.startsWith('/_svc/api/')).sort()).toEqual(all)
  expect(await pathsAt('/openapi.json')).toEqual(expect.arrayContaining(described))
})

it('what answers by a stream is the same for those who load no schemas', () => {
  const found = requestsIn(operations, contract).filter(({ isStream }) => isStream)

  expect(found.map(({ path }) => path)).toEqual([...streams])
})

it('no name in a path is a name in the request, since a call takes both as one object', () => {
  const named = requestsIn(operations, contract).map(({ path, request }) => {
    const { properties = {}, anyOf = [] } = request
      ? z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' })
      : {}
    const names = [properties, ...anyOf.map((each) => each.properties ?? {})].flatMap(Object.keys)
    return [path, names.filter((name) => path.includes(`:${name}`))]
  })

  expect(named.filter(([, shared]) => shared?.length)).toEqual([])
})

describe('contract 11 every operation of the control API replies as its contract says', () => {
  accountCases(opened)
  rightsCases(opened)
  planCases(opened)
  dependantsCases(opened)
  stateCases(opened)
  observationCases(opened)
  simulationCases(opened)
  parityCases(opened)

  it('and no operation is left out here', async () => {
    await control.health.get()
    await control.process.get()

    expect([...called].sort()).toEqual(idsIn(operations).sort())
  })
})
