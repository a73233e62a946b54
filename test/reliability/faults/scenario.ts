/** What is done while something fails: each is one request, with what can be seen before it and after it. */
import type { Answer } from '../../fixtures/requests/http.js'
import type { World } from './world.js'

export interface Scenario<State = unknown> {
  readonly name: string
  /** Whether documents come and go without a change each, as where a whole state is replaced. */
  readonly skipsChanges?: boolean
  /** Whether each run takes long, as where passwords are hashed, or another one is much like it: it is left to the long form. */
  readonly isSlow?: boolean
  prepare(world: World): Promise<State>
  /** The request that meets the fault. */
  act(world: World, state: NoInfer<State>): Promise<Answer>
  /** What everybody can see of it. */
  look(world: World, state: NoInfer<State>): Promise<unknown>
  /** What is seen once it is done, by what was seen before. */
  readonly after: unknown
}

/** Checks a scenario against its own state. */
export function scenario<State>(one: Scenario<State>): Scenario {
  // What is prepared is exactly what the other steps are handed.
  return one as Scenario
}
