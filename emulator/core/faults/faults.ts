/** Keeps the active faults in memory and matches them to requests. A restart removes them. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import {
  type Fault,
  type FaultInput,
  type FaultPreset,
  faultPresets,
} from '../../../client/protocol/model/faults/fault.js'
import type { Connections } from '../realtime/open-connections.js'

/** The properties of a request that faults match. */
export interface FaultTarget {
  readonly method: string
  /** Without the query string. */
  readonly path: string
  readonly project: string
  readonly user: string | undefined
}

export interface Faults {
  /** Whether the project has no faults. Requests check only this while it is true. */
  isEmpty(project: string): boolean
  /** Lists the faults of a project without the global ones, or all faults. */
  list(project?: string): readonly Fault[]
  /** @throws {SvcError} `VALIDATION_ERROR` if there are too many */
  add(input: FaultInput, preset?: FaultPreset): Fault
  addPreset(preset: FaultPreset, which: Pick<FaultInput, 'method' | 'path' | 'project' | 'user' | 'seed'>): Fault[]
  /** @throws {SvcError} `NOT_FOUND` */
  remove(id: string): void
  clear(project?: string): number
  /** Returns the faults that match this request, in order. */
  meet(request: FaultTarget): readonly Strike[]
  close(): void
}

/** A fault that matches a request. */
export interface Strike {
  readonly fault: Fault
  /** Draws the next number from 0 to 1 for random effects. */
  draw(): number
  /** Counts a hit, once, before the fault acts. Returns false if its `times` are used up. */
  acts(): boolean
  hasActed(): boolean
}

interface ActiveFault {
  fault: Fault
  readonly random: () => number
  readonly matches: (request: FaultTarget) => boolean
  end(): void
}

/** Limit per project, and for global faults. */
const maxFaults = 100

export function openFaults(connections: Connections): Faults {
  /** Faults by project; global ones under `undefined`. */
  const active = new Map<string | undefined, ActiveFault[]>()
  let number = 0
  const those = (project: string | undefined) => active.get(project) ?? []

  function add(input: FaultInput, preset: FaultPreset | null = null): Fault {
    const { rate = 1, seed = 1, project } = input
    const before = those(project)
    if (before.length >= maxFaults) {
      throw new SvcError('VALIDATION_ERROR', `A project can have at most ${maxFaults} faults.`)
    }
    const fault: Fault = { ...input, id: `f${++number}`, preset, rate, seed, seen: 0, hits: 0 }
    const one: ActiveFault = { fault, random: seededRandom(seed), matches: createTest(input), end: () => undefined }
    if (fault.kind === 'flap') one.end = flap(one, connections)
    active.set(project, [...before, one])
    return fault
  }

  function drop(isUnwanted: (one: ActiveFault) => boolean): number {
    let count = 0
    for (const [project, all] of active) {
      const kept = all.filter((one) => !isUnwanted(one))
      for (const one of all) if (!kept.includes(one)) one.end()
      count += all.length - kept.length
      if (kept.length > 0) active.set(project, kept)
      else active.delete(project)
    }
    return count
  }

  return {
    isEmpty: (project) => active.size === 0 || (!active.has(project) && !active.has(undefined)),
    list: (project) => (project === undefined ? [...active.values()].flat() : those(project)).map(({ fault }) => fault),
    add: (input, preset) => add(input, preset),
    addPreset: (preset, which) => faultPresets[preset].map((input) => add({ ...input, ...which }, preset)),
    remove(id) {
      if (drop(({ fault }) => fault.id === id) > 0) return
      throw new SvcError('NOT_FOUND', `No active fault "${id.slice(0, 80)}".`)
    },
    clear: (project) => drop(({ fault }) => project === undefined || fault.project === project),
    meet(request) {
      const met = [...those(undefined), ...those(request.project)]
      return met.filter((one) => one.fault.kind !== 'flap' && one.matches(request) && isDrawn(one)).map(createStrike)
    },
    close: () => void drop(() => true),
  }
}

/** Draws for every matching request, so that the same sequence of requests fails at the same points. */
function isDrawn(one: ActiveFault): boolean {
  one.fault = { ...one.fault, seen: one.fault.seen + 1 }
  return isLeft(one) && one.random() < one.fault.rate
}

function isLeft({ fault: { hits, times = Number.POSITIVE_INFINITY } }: ActiveFault): boolean {
  return hits < times
}

function createStrike(one: ActiveFault): Strike {
  let hasActed: boolean | undefined
  return {
    fault: one.fault,
    draw: one.random,
    acts() {
      if (hasActed !== undefined) return hasActed
      hasActed = isLeft(one)
      if (hasActed) one.fault = { ...one.fault, hits: one.fault.hits + 1 }
      return hasActed
    },
    hasActed: () => hasActed === true,
  }
}

/** Closes connections the given number of times, until the returned function is called. */
function flap(one: ActiveFault, connections: Connections): () => void {
  const { seconds = 1, project, user } = one.fault
  const timer = setInterval(() => {
    for (const connection of connections.all()) {
      const identity = connection.identity()
      if (!identity || (project !== undefined && identity.project.id !== project)) continue
      if ((user !== undefined && identity.caller.user?.id !== user) || !(isDrawn(one) && createStrike(one).acts()))
        continue
      connection.close()
    }
  }, seconds * 1_000)
  timer.unref()
  return () => clearInterval(timer)
}

function createTest({ method, path, project, user }: FaultInput): (request: FaultTarget) => boolean {
  const isPath = path === undefined ? undefined : compilePattern(path)
  return (request) =>
    (method === undefined || request.method === method) &&
    (project === undefined || request.project === project) &&
    (user === undefined || request.user === user) &&
    (isPath === undefined || isPath.test(request.path))
}

/** Compiles `/collections/*` and `/collections/**`. Matches each part separately, so that no pattern is slow. */
function compilePattern(path: string): RegExp {
  const isOpen = path.endsWith('/**')
  const parts = (isOpen ? path.slice(0, -3) : path).split('/').map((part) => {
    if (part === '*') return '[^/]+'
    return part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('/')}${isOpen ? '(/.*)?' : ''}$`)
}

/** Generates numbers from 0 to 1 from a seed: mulberry32. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
