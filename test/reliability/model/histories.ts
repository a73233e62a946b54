/** Rounds of commands by several clients at once, against the model: some order of them must explain the answers (linearizability). */
import type { Answer } from '../../fixtures/requests/http.js'
import { type Client, type Command, type Known, perform } from './commands.js'
import { fits, initial, type State, step } from './state.js'

/** The commands of a round begin together; the next round begins once all are answered. */
export type Round = readonly Command[]

export interface History {
  /** Every state that explains what was answered. */
  readonly states: readonly State[]
  /** Requests that were answered. */
  readonly count: number
}

/** @throws {Error} with the round that no order explains */
export async function play(
  clients: readonly Client[],
  rounds: readonly Round[],
  afterRound: (at: number) => Promise<void>,
): Promise<History> {
  let states: readonly State[] = [initial]
  let known: readonly Known[] = []
  let count = 0
  for (const [at, round] of rounds.entries()) {
    const before = known
    const answers = await Promise.all(
      round.map((command, client) => perform(clients[client % clients.length] as Client, command, before)),
    )
    count += round.length
    const explained = states.flatMap((state) => orders(round.length).flatMap((order) => explain(state, order) ?? []))
    if (explained.length === 0) throw new Error(unexplained(at, round, answers, states))
    states = unique(explained)
    known = round.reduce((all, command, at) => learned(all, command, answers[at]), known)
    await afterRound(at)

    function explain(state: State, order: readonly number[]): State | undefined {
      for (const at of order) {
        const [command, answer] = [round[at], answers[at]]
        if (!command || !answer) return undefined
        const next = step(state, command, before, answer)
        if (!fits(next.expected, answer)) return undefined
        state = next.state
      }
      return state
    }
  }
  return { states, count }
}

function orders(length: number): number[][] {
  if (length === 0) return [[]]
  return orders(length - 1).flatMap((order) =>
    Array.from({ length }, (_, at) => [...order.slice(0, at), length - 1, ...order.slice(at)]),
  )
}

function unique(states: readonly State[]): State[] {
  return [...new Map(states.map((state) => [JSON.stringify(state), state])).values()]
}

/** New documents, and the versions that were seen. */
function learned(known: readonly Known[], command: Command, answer: Answer | undefined): Known[] {
  const name = 'name' in command ? command.name : undefined
  const records = [answer?.body].flat() as { id?: unknown; collection?: unknown }[]
  if (answer?.status === 201 && name !== undefined && command.do !== 'create collection') {
    return [...known, ...records.map(({ id }) => ({ id: String(id), name, version: 1 }))]
  }
  const version = Number(answer?.headers.etag?.slice(1, -1))
  const id = records[0]?.id
  return known.map((one) => (one.id === id && version > one.version ? { ...one, version } : one))
}

function unexplained(at: number, round: Round, answers: readonly Answer[], states: readonly State[]): string {
  const lines = round.map((command, at) => {
    const { status = 0, text = '', headers = {} } = answers[at] ?? {}
    return `  ${JSON.stringify(command)} → ${status} ${headers.etag ?? ''} ${text.slice(0, 400)}`
  })
  return [`No order of round ${at} explains its answers:`, ...lines, `Before it: ${JSON.stringify(states[0])}`].join(
    '\n',
  )
}
