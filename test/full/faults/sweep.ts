/** Fails every call of every scenario in turn, and reports what was left half done, orphaned or lost. */
import type { Service } from '../../../emulator/assembly/open-service.js'
import type { Answer } from '../../fixtures/requests/http.js'
import { isLong } from '../../reliability/scale.js'
import { arm, disarm, type Fault, sound } from './failing-storage.js'
import { invariants } from './invariants.js'
import type { Scenario } from './scenario.js'
import { aWorld, type World } from './world.js'

export type Kind = Omit<Fault, 'at'>

const ways = [
  { moment: 'after', isPersistent: false },
  { moment: 'before', isPersistent: true },
  { moment: 'before', isPersistent: false },
] as const

/** Every way in which a call may fail; the short form leaves out the last. */
export const kinds: readonly Kind[] = (['database', 'files'] as const).flatMap((part) =>
  ways.slice(0, isLong ? 3 : 2).map((way) => ({ part, ...way })),
)

/** The short form fails each of the first calls, and some of the others. */
const [firstCalls, step] = isLong ? [300, 1] : [8, 5]

export interface Swept {
  /** Runs in which a call failed. */
  readonly runs: number
  /** Violations, as sentences. */
  readonly violations: readonly string[]
}

/** More calls than any scenario makes. */
const mostCalls = 300

export async function sweep(service: Service, scenario: Scenario, kind: Kind): Promise<Swept> {
  const violations: string[] = []
  let runs = 0
  for (let at = 1; at <= mostCalls; at += at < firstCalls ? 1 : step) {
    const { isMet, faults } = await runWith(service, scenario, { ...kind, at })
    const where = `${scenario.name}, ${kind.part} call ${at} ${kind.moment}${kind.isPersistent ? ' and all after it' : ''}`
    violations.push(...faults.map((fault) => `${where}: ${fault}`))
    if (!isMet) return { runs, violations }
    runs++
  }
  return { runs, violations: [...violations, `${scenario.name} makes more than ${mostCalls} calls.`] }
}

async function runWith(service: Service, scenario: Scenario, fault: Fault) {
  const world = await aWorld(service)
  const state = await scenario.prepare(world)
  const before = JSON.stringify(await scenario.look(world, state))
  const after = JSON.stringify(scenario.after)
  arm(fault)
  const answer = await scenario.act(world, state)
  const { isMet, isOutcomeLost } = disarm()
  const seen = JSON.stringify(await scenario.look(world, state))
  const faults = [
    ...judge(answer, { seen, before, after, isMet, isOutcomeLost }),
    ...(await invariants(sound(), world.project, { skipsChanges: scenario.skipsChanges ?? false })),
    ...(await stillWorks(world)),
  ]
  return { isMet, faults }
}

interface Seen {
  readonly seen: string
  readonly before: string
  readonly after: string
  readonly isMet: boolean
  readonly isOutcomeLost: boolean
}

function judge({ status, text, headers }: Answer, { seen, before, after, isMet, isOutcomeLost }: Seen): string[] {
  const said = `${status} ${text.slice(0, 200)}`
  if (status < 300) return seen === after ? [] : [`was acknowledged, yet ${seen} is seen instead of ${after} (${said})`]
  if (!isMet) return [`failed though nothing was made to fail: ${said}`]
  if (status !== 503) return [`was answered with ${said}`]
  if (headers['retry-after'] === undefined) return [`was answered without "retry-after": ${said}`]
  if (seen === before || (isOutcomeLost && seen === after)) return []
  return [`failed, and left ${seen} of ${before} (${said})`]
}

async function stillWorks(world: World): Promise<string[]> {
  const name = `alive${Math.random().toString(36).slice(2)}`
  const made = await world.ask('POST', '/collections', { name })
  const created = await world.ask('POST', `/collections/${name}`, { n: 1 })
  const gone = await world.ask('DELETE', `/collections/${name}`)
  return [made, created, gone].flatMap(({ status, text }) => (status < 300 ? [] : [`then answered ${status} ${text}`]))
}
