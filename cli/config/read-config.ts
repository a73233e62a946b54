/** Validates the content of a project file. */
import { isObject, type JsonObject } from '../../client/protocol/model/json.js'
import type { DevSettings, SvcConfig } from '../../client/protocol/model/project.js'
import { CliFailure, exits } from '../base/failure.js'
import { nearest } from '../terminal/nearest.js'

type Test = (value: unknown) => boolean
/** A test, what is wrong with other values, and the JSON Schema for editors. */
type Kind = readonly [isGood: Test, words: string, schema: JsonObject]

const isWhole =
  (min: number, max: number): Test =>
  (value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max

const text: Kind = [(value) => typeof value === 'string', 'is not text', { type: 'string' }]
const flag: Kind = [(value) => typeof value === 'boolean', 'is not true or false', { type: 'boolean' }]
const object: Kind = [isObject, 'is not an object', { type: 'object' }]
const count = (max: number): Kind => [
  isWhole(0, max),
  `is not a whole number up to ${max}`,
  { type: 'integer', minimum: 0, maximum: max },
]
const between = (min: number, max: number): Kind => [
  isWhole(min, max),
  `is not a whole number from ${min} to ${max}`,
  { type: 'integer', minimum: min, maximum: max },
]
const texts: Kind = [
  (value) => typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string')),
  'is neither text nor a list of texts',
  { type: ['string', 'array'], items: { type: 'string' } },
]
const textOrNumber: Kind = [
  (value) => typeof value === 'string' || typeof value === 'number',
  'is neither text nor a number',
  { type: ['string', 'number'] },
]

const forCommands = { profile: text, url: text, dialect: text, remote: text }
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

/** The settings of a project file and of its `dev` section, each with its JSON Schema. */
export const configKinds: { readonly [Part in 'sections' | 'dev']: Readonly<Record<string, Kind>> } = { sections, dev }

/** Leaves the values of project settings to the emulator. @throws {CliFailure} with exit 2, naming the file and the setting */
export function readConfig(path: string, content: unknown): SvcConfig {
  if (!isObject(content)) throw badFile(path, 'is not a JSON object', { known: Object.keys(sections) })
  // `$schema` is for editors.
  const { $schema: _, ...config } = content
  requireKinds(path, config, sections)
  if (isObject(config.dev)) requireKinds(path, config.dev, dev, 'dev.')
  return config
}

interface Fault {
  readonly cause?: unknown
  /** Valid names at this place. */
  readonly known?: readonly string[]
  readonly meant?: string | undefined
}

export function badFile(path: string, what: string, { cause, known, meant }: Fault = {}) {
  const question = meant === undefined ? '' : `Did you mean "${meant}"? `
  const hint = known === undefined ? 'Fix the file and try again.' : `${question}Valid settings: ${known.join(', ')}.`
  return new CliFailure('BAD_CONFIG', exits.misuse, `${path}: ${what}.`, hint, { cause })
}

/** Ignores settings that are `undefined`. */
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
