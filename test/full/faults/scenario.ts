/** Scenarios for faults: each is one request, with the visible state before and after it. */
import type { Answer } from '../../fixtures/requests/http.js'
import type { World } from './world.js'

export interface Scenario<State = unknown> {
  readonly name: string
  /** Whether documents appear and disappear without a change each, as where a whole state is replaced. */
  readonly skipsChanges?: boolean
  /** Whether each run takes long, as where passwords are hashed, or it resembles another one: only the long form runs it. */
  readonly isSlow?: boolean
  /** Whether its request writes bytes of files, so that the file store has to be able to fail it. */
  readonly storesFiles?: boolean
  prepare(world: World): Promise<State>
  /** The request that meets the fault. */
  act(world: World, state: NoInfer<State>): Promise<Answer>
  /** The visible state. */
  look(world: World, state: NoInfer<State>): Promise<unknown>
  /** The visible state once it is done, by the one before. */
  readonly after: unknown
}

/** Checks a scenario against its own state. */
export function scenario<State>(one: Scenario<State>): Scenario {
  // The other steps receive exactly what was prepared.
  return one as Scenario
}
