/**
 * Regular expressions in linear time, for patterns that strangers write. JavaScript's own backtracks: `(a+)+b` takes
 * minutes on 40 letters. Follows all ways through the pattern at once instead. Contract 13.1.
 */

/** Chosen by us: the steps of a pattern when its repetitions are written out, so that `(a{99}){99}` stays cheap. */
const maxSteps = 600

export interface Pattern {
  /** Tells whether the whole text matches. Gives up, and returns false, once the meter has more than its limit. */
  matches(text: string, meter?: Meter): boolean
}

/** Counts the work of comparing texts. */
export interface Meter {
  /** Characters, and all steps of the pattern again for each character that leads to a state not remembered. */
  work: number
  readonly most: number
}

/** Compiles a pattern, or returns why it cannot be used. */
export function compilePattern(pattern: string): Pattern | { readonly problem: string } {
  try {
    new RegExp(pattern, 'u')
  } catch {
    return { problem: 'must be a valid regular expression' }
  }
  const tokens = pattern.match(anyToken) ?? []
  const unsupported = tokens.find((token, at) => isUnsupported(token, at, tokens))
  if (unsupported !== undefined) return { problem: `cannot use "${unsupported}", which does not match in linear time` }
  const whole = readChoice(tokens)
  if (countSteps(whole) > maxSteps) return { problem: `repeats too much: it can have at most ${maxSteps} steps` }
  return openPattern(writeSteps(whole))
}

/** A part of a pattern. An atom takes one character. */
type Part =
  | { readonly atom: string }
  | { readonly choice: readonly (readonly Part[])[] }
  | { readonly repeated: Part; readonly min: number; readonly max: number }

const escaped = String.raw`\\(?:[pPu]\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|k<[^>]*>|.)`
const set = String.raw`\[(?:\\.|[^\]\\])*\]`
const opening = String.raw`\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?`
const count = String.raw`(?:[*+?]|\{\d+(?:,\d*)?\})\??`
const anyToken = new RegExp(`${escaped}|${set}|${opening}|${count}|.`, 'gsu')

/** Back references, word boundaries, lookarounds, flags inside the pattern, and anchors inside it. */
function isUnsupported(token: string, at: number, tokens: readonly string[]): boolean {
  if (token === '^') return at > 0
  if (token === '$') return at < tokens.length - 1
  return /^(\\[1-9bBk]|\(\?(<?[=!]|[a-z-]+:))/.test(token)
}

/** Reads alternatives until the end or the closing parenthesis, which it takes from the tokens. */
function readChoice(tokens: string[]): Part {
  const choice: Part[][] = [[]]
  for (let token = tokens.shift(); token !== undefined && token !== ')'; token = tokens.shift()) {
    if (token === '|') choice.push([])
    else if (token !== '^' && token !== '$') choice.at(-1)?.push(readRepeated(readPart(token, tokens), tokens))
  }
  return { choice }
}

function readPart(token: string, tokens: string[]): Part {
  return token.startsWith('(') ? readChoice(tokens) : { atom: token }
}

function readRepeated(repeated: Part, tokens: string[]): Part {
  const [, sign, digits] = /^(?:([*+?])|\{([\d,]+)\})\??$/.exec(tokens[0] ?? '') ?? []
  if (sign === undefined && digits === undefined) return repeated
  tokens.shift()
  const [min = 0, max = min] = bounds[sign ?? ''] ?? (digits ?? '').split(',').map(toBound)
  return { repeated, min, max }
}

const bounds: { readonly [sign: string]: readonly number[] } = { '*': [0, Infinity], '+': [1, Infinity], '?': [0, 1] }

function toBound(digits: string): number {
  return digits === '' ? Infinity : Number(digits)
}

function countSteps(part: Part): number {
  if ('atom' in part) return 1
  if ('choice' in part) return 1 + part.choice.reduce((sum, parts) => sum + 1 + sumSteps(parts), 0)
  return (countSteps(part.repeated) + 1) * (part.max === Infinity ? part.min + 2 : part.max)
}

function sumSteps(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + countSteps(part), 0)
}

/** With an atom, takes a character and goes on to the next step. Without one, goes on to all of the next steps. */
interface Step {
  readonly atom?: string
  readonly next: number[]
}

/** Writes out a pattern as steps. The number of steps stands for the match. */
function writeSteps(whole: Part): readonly Step[] {
  const steps: Step[] = []
  append(steps, whole)
  return steps
}

function append(steps: Step[], part: Part): void {
  if ('atom' in part) steps.push({ atom: part.atom, next: [steps.length + 1] })
  else if ('choice' in part) appendChoice(steps, part.choice)
  else appendRepeated(steps, part)
}

function appendChoice(steps: Step[], choice: readonly (readonly Part[])[]): void {
  const fork = appendFork(steps)
  const ends = choice.map((parts) => {
    fork.next.push(steps.length)
    for (const part of parts) append(steps, part)
    return appendFork(steps)
  })
  for (const end of ends) end.next.push(steps.length)
}

function appendRepeated(steps: Step[], { repeated, min, max }: Extract<Part, { repeated: Part }>): void {
  for (let times = 0; times < min; times++) append(steps, repeated)
  const forks: Step[] = []
  for (let times = min; times < (max === Infinity ? min + 1 : max); times++) {
    const at = steps.length
    const fork = appendFork(steps)
    fork.next.push(at + 1)
    forks.push(fork)
    append(steps, repeated)
    if (max === Infinity) appendFork(steps).next.push(at)
  }
  for (const fork of forks) fork.next.push(steps.length)
}

function appendFork(steps: Step[]): Step {
  const fork: Step = { next: [] }
  steps.push(fork)
  return fork
}

/** All steps that a text can stand at after some characters, and the states that follow from it. */
interface State {
  readonly at: readonly number[]
  readonly next: Map<string, State>
}

/** Chosen by us: states, characters of a state, and characters to remember. */
const maxRemembered = 200

function openPattern(steps: readonly Step[]): Pattern {
  const takes = openTakes(steps)
  const start: State = { at: reach(steps, [0]), next: new Map() }
  const states = new Map<string, State>()

  function open(at: readonly number[]): State {
    const key = at.join()
    const known = states.get(key)
    if (known) return known
    if (states.size >= maxRemembered) {
      states.clear()
      start.next.clear()
    }
    const state: State = { at, next: new Map() }
    states.set(key, state)
    return state
  }

  function follow({ at, next }: State, character: string): State {
    const taken = at.filter((step) => takes(step, character)).map((step) => step + 1)
    const state = open(reach(steps, taken))
    if (next.size >= maxRemembered) next.clear()
    next.set(character, state)
    return state
  }

  return {
    matches(text, meter = { work: 0, most: Infinity }) {
      let state = start
      for (const character of text) {
        const known = state.next.get(character)
        meter.work += known ? 1 : steps.length
        if (meter.work > meter.most) return false
        state = known ?? follow(state, character)
        if (state.at.length === 0) return false
      }
      return state.at.at(-1) === steps.length
    },
  }
}

/** Returns a function that tells whether the atom of a step takes a character. */
function openTakes(steps: readonly Step[]): (step: number, character: string) => boolean {
  const expressions = new Map<string, RegExp>()
  for (const { atom } of steps) if (atom !== undefined) expressions.set(atom, new RegExp(`^${atom}$`, 'u'))
  const known = new Map<string, ReadonlySet<string>>()
  function takers(character: string): ReadonlySet<string> {
    if (known.size >= maxRemembered) known.clear()
    const atoms = [...expressions].flatMap(([atom, expression]) => (expression.test(character) ? [atom] : []))
    const takers = new Set(atoms)
    known.set(character, takers)
    return takers
  }
  return (step, character) => {
    const atom = steps[step]?.atom
    return atom !== undefined && (known.get(character) ?? takers(character)).has(atom)
  }
}

/** Follows the steps without an atom. Returns the steps with one, and the match, in order. */
function reach(steps: readonly Step[], from: readonly number[]): readonly number[] {
  const seen = new Uint8Array(steps.length + 1)
  const open = [...from]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen[at] === 1) continue
    seen[at] = 1
    const step = steps[at]
    if (step && step.atom === undefined) open.push(...step.next)
  }
  return [...seen.keys()].filter((at) => seen[at] === 1 && (at === steps.length || steps[at]?.atom !== undefined))
}
