/** The faults that are on, and which of them a request meets. In memory only: a restart has none. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import {
  type Fault,
  type FaultInput,
  type FaultPreset,
  faultPresets,
} from '../../../client/protocol/model/faults/fault.js'
import type { Connections } from '../realtime/open-connections.js'

/** What is known of a request when it meets faults. */
export interface Met {
  readonly method: string
  /** Without its query. */
  readonly path: string
  readonly project: string
  readonly user: string | undefined
}

export interface Faults {
  /** Whether there is none for that project, which is all that a request looks at as long as that is so. */
  isEmpty(project: string): boolean
  /** Those of a project, without those of all; left out, every one. */
  list(project?: string): readonly Fault[]
  /** @throws {SvcError} `VALIDATION_ERROR` for too many */
  add(input: FaultInput, preset?: FaultPreset): Fault
  addPreset(preset: FaultPreset, which: Pick<FaultInput, 'method' | 'path' | 'project' | 'user' | 'seed'>): Fault[]
  /** @throws {SvcError} `NOT_FOUND` */
  remove(id: string): void
  clear(project?: string): number
  /** Those that may strike this request, in their order. */
  meet(request: Met): readonly Strike[]
  close(): void
}

/** A fault that a request has met. */
export interface Strike {
  readonly fault: Fault
  /** The next number, from 0 to 1, for what it does by chance. */
  draw(): number
  /** Counts it as a hit, once, where it is about to act; false where its `times` are used up. */
  acts(): boolean
}

interface Standing {
  fault: Fault
  readonly random: () => number
  readonly matches: (request: Met) => boolean
  end(): void
}

/** Of one project, and as many of all. */
const mostFaults = 100

export function openFaults(connections: Connections): Faults {
  /** By project; those of all projects under `undefined`. */
  const standing = new Map<string | undefined, Standing[]>()
  let number = 0
  const those = (project: string | undefined) => standing.get(project) ?? []

  function add(input: FaultInput, preset: FaultPreset | null = null): Fault {
    const { rate = 1, seed = 1, project } = input
    const before = those(project)
    if (before.length >= mostFaults) {
      throw new SvcError('VALIDATION_ERROR', `A project has at most ${mostFaults} faults.`)
    }
    const fault: Fault = { ...input, id: `f${++number}`, preset, rate, seed, seen: 0, hits: 0 }
    const one: Standing = { fault, random: randomOf(seed), matches: testOf(input), end: () => undefined }
    if (fault.kind === 'flap') one.end = flap(one, connections)
    standing.set(project, [...before, one])
    return fault
  }

  function drop(isUnwanted: (one: Standing) => boolean): number {
    let count = 0
    for (const [project, all] of standing) {
      const kept = all.filter((one) => !isUnwanted(one))
      for (const one of all) if (!kept.includes(one)) one.end()
      count += all.length - kept.length
      if (kept.length > 0) standing.set(project, kept)
      else standing.delete(project)
    }
    return count
  }

  return {
    isEmpty: (project) => standing.size === 0 || (!standing.has(project) && !standing.has(undefined)),
    list: (project) =>
      (project === undefined ? [...standing.values()].flat() : those(project)).map(({ fault }) => fault),
    add: (input, preset) => add(input, preset),
    addPreset: (preset, which) => faultPresets[preset].map((input) => add({ ...input, ...which }, preset)),
    remove(id) {
      if (drop(({ fault }) => fault.id === id) > 0) return
      throw new SvcError('NOT_FOUND', `No fault "${id.slice(0, 80)}" is on.`)
    },
    clear: (project) => drop(({ fault }) => project === undefined || fault.project === project),
    meet(request) {
      const met = [...those(undefined), ...those(request.project)]
      return met.filter((one) => one.fault.kind !== 'flap' && one.matches(request) && isDrawn(one)).map(strikeOf)
    },
    close: () => void drop(() => true),
  }
}

/** Draws for each request that it might meet, so that the same sequence is struck in the same places. */
function isDrawn(one: Standing): boolean {
  one.fault = { ...one.fault, seen: one.fault.seen + 1 }
  return isLeft(one) && one.random() < one.fault.rate
}

function isLeft({ fault: { hits, times = Number.POSITIVE_INFINITY } }: Standing): boolean {
  return hits < times
}

function strikeOf(one: Standing): Strike {
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
  }
}

/** Closes connections as often as it is to, until the returned function is called. */
function flap(one: Standing, connections: Connections): () => void {
  const { seconds = 1, project, user } = one.fault
  const timer = setInterval(() => {
    for (const connection of connections.all()) {
      const identity = connection.identity()
      if (!identity || (project !== undefined && identity.project.id !== project)) continue
      if ((user !== undefined && identity.caller.user?.id !== user) || !(isDrawn(one) && strikeOf(one).acts())) continue
      connection.close()
    }
  }, seconds * 1_000)
  timer.unref()
  return () => clearInterval(timer)
}

function testOf({ method, path, project, user }: FaultInput): (request: Met) => boolean {
  const isPath = path === undefined ? undefined : patternOf(path)
  return (request) =>
    (method === undefined || request.method === method) &&
    (project === undefined || request.project === project) &&
    (user === undefined || request.user === user) &&
    (isPath === undefined || isPath.test(request.path))
}

/** `/collections/*` and `/collections/**`. Each part is matched by itself, so that no pattern takes long. */
function patternOf(path: string): RegExp {
  const isOpen = path.endsWith('/**')
  const parts = (isOpen ? path.slice(0, -3) : path).split('/').map((part) => {
    if (part === '*') return '[^/]+'
    return part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('/')}${isOpen ? '(/.*)?' : ''}$`)
}

/** Numbers from 0 to 1 that follow from the seed: mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
