/** A project file, whatever it was written in, becomes a configuration, or a sentence that says what is wrong with it. */
import { isObject } from '../../client/protocol/model/json.js'
import type { DevSettings, SvcConfig } from '../../client/protocol/model/project.js'
import { CliFailure, exits } from '../base/failure.js'
import { nearest } from '../terminal/nearest.js'

type Test = (value: unknown) => boolean
type Kind = readonly [isGood: Test, words: string]

const isWhole =
  (least: number, most: number): Test =>
  (value) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most

const text: Kind = [(value) => typeof value === 'string', 'is not text']
const flag: Kind = [(value) => typeof value === 'boolean', 'is not true or false']
const object: Kind = [isObject, 'does not hold an object']
const count = (most: number): Kind => [isWhole(0, most), `is not a whole number up to ${most}`]
const between = (least: number, most: number): Kind => [
  isWhole(least, most),
  `is not a whole number from ${least} to ${most}`,
]
const texts: Kind = [
  (value) => typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string')),
  'is neither text nor a list of texts',
]
const textOrNumber: Kind = [
  (value) => typeof value === 'string' || typeof value === 'number',
  'is neither text nor a number',
]

const forCommands = { profile: text, url: text, dialect: text }
const sections = { ...forCommands, dev: object, settings: object } satisfies Record<keyof SvcConfig, Kind>
const dev = {
  port: count(65_535),
  data: text,
  memory: flag,
  perBranch: flag,
  project: text,
  sharedBuffersMb: between(16, 1_024),
  databaseUrl: text,
  databaseListenUrl: text,
  filesUrl: text,
  mailFrom: text,
  trustedProxies: count(100),
  seed: texts,
  types: text,
  latency: textOrNumber,
} satisfies Record<keyof DevSettings, Kind>

/** @throws {CliFailure} with exit 2, naming the file and the setting. Settings of the project are for the emulator to judge. */
export function readConfig(path: string, content: unknown): SvcConfig {
  if (!isObject(content)) throw badFile(path, 'does not hold an object', { known: Object.keys(sections) })
  // What editors read of it is theirs.
  const { $schema: _, ...config } = content
  requireKinds(path, config, sections)
  if (isObject(config.dev)) requireKinds(path, config.dev, dev, 'dev.')
  return config
}

interface Fault {
  readonly cause?: unknown
  /** What the file may hold at that place, where it held something else. */
  readonly known?: readonly string[]
  readonly meant?: string | undefined
}

export function badFile(path: string, what: string, { cause, known, meant }: Fault = {}) {
  const question = meant === undefined ? '' : `Did you mean "${meant}"? `
  const hint = known === undefined ? 'Correct it.' : `${question}It may hold: ${known.join(', ')}.`
  return new CliFailure('BAD_CONFIG', exits.misuse, `${path}: ${what}.`, hint, { cause })
}

/** What is `undefined` is as good as left out. */
function requireKinds(path: string, content: object, kinds: Readonly<Record<string, Kind>>, prefix = ''): void {
  const known = Object.keys(kinds)
  for (const [name, value] of Object.entries(content)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (!kind) {
      throw badFile(path, `"${prefix}${name}" is not a valid setting`, { known, meant: nearest(name, known) })
    }
    const [isGood, words] = kind
    if (value !== undefined && !isGood(value)) throw badFile(path, `"${prefix}${name}" ${words}`)
  }
}
