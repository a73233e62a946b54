/**
 * Random sequences of several clients over the wire, against the service in memory; and subscribers whose connections are cut
 * meanwhile, who receive each change once, in one order, and end up with the stored state.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'
import { patiently } from '../../fixtures/patience.js'
import { aSubscriber, overEventStream, overWebSocket, type Subscriber } from '../../fixtures/realtime/subscriber.js'
import { send } from '../../fixtures/requests/http.js'
import { record } from '../ledger.js'
import { isLong, sampled } from '../scale.js'
import { type Client, type Command, commands } from './commands.js'
import { play, type Round } from './histories.js'
import type { State } from './state.js'

const setups = [
  ['pglite', 1],
  ['postgres', 1],
  ['postgres', 2],
] as const

describe.each(isLong ? setups : [setups[0], setups[2]])('on %s, with %i processes', (engine, processes) => {
  let server: Databases | undefined
  let emulators: Emulator[]

  beforeAll(async () => {
    server = engine === 'postgres' ? await openDatabases() : undefined
    emulators = []
    for (let at = 0; at < processes; at++) {
      emulators.push(await startEmulator({ memory: true, databaseUrl: server?.url, requestLog: false }))
    }
  })
  afterAll(async () => {
    for (const emulator of emulators) await emulator.close()
    await server?.stop()
  })

  it('some order of what was asked at once explains every answer, and subscribers receive each change once', async () => {
    const rounds = fc.array(fc.array(commands(isLong), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 12 })
    const cuts = fc.array(fc.nat(11), { maxLength: 3 })
    let [sequences, requests, events] = [0, 0, 0]

    await fc.assert(
      fc.asyncProperty(rounds, cuts, async (rounds, cuts) => {
        const clients = await aProject(emulators)
        const subscribers = await Promise.all(clients.flatMap(listeners))
        try {
          const { states, count } = await play(clients, processes > 1 ? parted(rounds) : rounds, async (at) => {
            await untilAgreed(clients)
            if (cuts.includes(at)) await subscribers[at % subscribers.length]?.reconnect()
          })
          await agree(subscribers, states)
          sequences++
          requests += count
          events += subscribers.reduce((sum, { heard }) => sum + heard.length, 0)
        } finally {
          await Promise.all(subscribers.map((one) => one.stop()))
        }
      }),
      sampled(30, 1_500),
    )

    const what = `${sequences.toLocaleString('en')} sequences, ${processes} processes, ${events.toLocaleString('en')} events`
    record({
      part: 'model',
      what,
      engine,
      count: requests,
      unit: 'requests',
      found: { unexplained: 0, lost: 0, doubled: 0 },
    })
  })
})

/**
 * A process may cache a collection that another has dropped or created again until it receives a message, so the
 * commands of collections are rounds of their own.
 */
function parted(rounds: readonly Round[]): Round[] {
  const isOfCollections = (command: Command) => command.do.endsWith(' collection')
  return rounds.flatMap((round) => [
    ...round.filter(isOfCollections).map((command) => [command]),
    round.filter((command) => !isOfCollections(command)),
  ])
}

/** Resolves once all processes see the same collection, or none. */
async function untilAgreed(clients: readonly Client[]): Promise<void> {
  if (clients.length < 2) return
  const idOf = async ({ url, key }: Client) => {
    const path = '/api/collections/other'
    const { body } = await send(url, { method: 'GET', path, headers: { 'x-api-key': key } })
    return (body as { id?: string }).id
  }
  await expect.poll(async () => new Set(await Promise.all(clients.map(idOf))).size, patiently).toBe(1)
}

/** A project of its own, and a client for each process. */
async function aProject(emulators: readonly Emulator[]): Promise<Client[]> {
  const [first] = emulators
  const ask = async (path: string, headers: Record<string, string>, body: object) => {
    const json = { ...headers, 'content-type': 'application/json' }
    const answer = await send(first?.url ?? '', { method: 'POST', path, headers: json, body: JSON.stringify(body) })
    expect(answer.status, answer.text).toBe(201)
    return answer.body as { secretKey: string }
  }
  const made = await ask('/_svc/api/projects', { 'svc-control-token': first?.controlToken ?? '' }, { name: 'model' })
  await ask('/collections', { 'x-api-key': made.secretKey }, { name: 'kept' })
  return emulators.map(({ url }) => ({ url, key: made.secretKey }))
}

const listeners = ({ url, key: apiKey }: Client) =>
  [overWebSocket, overEventStream].map((connect) => aSubscriber(connect, { url, apiKey, collection: 'kept' }))

/** All received the same, once and in order, and it leads to the stored state. */
async function agree(subscribers: readonly Subscriber[], states: readonly State[]): Promise<void> {
  const changes = states[0]?.changes ?? 0
  for (const subscriber of subscribers) await subscriber.untilHeard(changes)
  const [first, ...others] = subscribers.map(({ heard }) =>
    heard.map(({ seq, event, document: { id, data } }) =>
      JSON.stringify([seq, event, id, event === 'deleted' ? null : data]),
    ),
  )
  for (const other of others) expect(other).toEqual(first)
  const numbers = subscribers[0]?.heard.map(({ seq }) => seq) ?? []
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other))
  expect(numbers).toHaveLength(changes)
  const told = new Map<string, unknown>()
  for (const { event, document } of subscribers[0]?.heard ?? []) {
    if (event === 'deleted') told.delete(document.id)
    else told.set(document.id, document.data)
  }
  const there = states.map(({ collections }) =>
    Object.fromEntries((collections.kept ?? []).map(({ id, fields }) => [id, fields])),
  )
  expect(there).toContainEqual(Object.fromEntries(told))
}
