/** Describes a tool of `svc mcp`, and builds tools from commands and from operations of the control API. */
import type { Command, Config } from '@oclif/core'
import type { Control } from '../../client/control.js'
import { isObject, type JsonObject } from '../../client/protocol/model/json.js'
import type { OwnEmulator } from '../target/emulator-of-run.js'

/** JSON Schema of one argument. */
export type Property = JsonObject

/** Arguments of a tool by name, described by JSON Schema. */
export interface ToolInput {
  readonly properties: { readonly [name: string]: Property }
  readonly required: readonly string[]
}

export type Given = Readonly<Record<string, unknown>>

/** Runs commands and calls for a tool. Opened for each call, because the emulator may have restarted. */
export interface Host {
  readonly config: Config
  /** The emulator of the folder. @throws {CliFailure} with exit 8 if none runs */
  emulator(): OwnEmulator
  control(): Control
  /** Runs a command in this process, and returns what `--json` would print. */
  command(id: string, words: readonly string[]): Promise<unknown>
  /** Runs calls of the client, as the owner or as a user. */
  client(work: ClientCalls, as: unknown): Promise<unknown>
}

export interface ClientCalls {
  /** The start of the question before a write: "Create a document". Undefined for reads. */
  readonly change?: string
  run(client: import('../../client/index.js').Client): Promise<unknown>
}

export interface Tool {
  readonly description: string
  readonly effect: 'read' | 'write' | 'destroy'
  /** Whether it works on a hosted service, named by a profile. Others need the emulator. */
  readonly isForAnyService: boolean
  /** Whether it is offered without `--tools`. */
  readonly isUsual: boolean
  /** How to undo a write. `snapshot` saves one first; `command` leaves that to the command. */
  readonly takeBack?: 'snapshot' | 'command' | string
  input(config: Config): Promise<ToolInput>
  run(given: Given, host: Host): Promise<unknown>
}

type About = Pick<Tool, 'effect' | 'isUsual' | 'takeBack'> & { readonly description?: string }

interface FromCommand extends About {
  /** Id of the command, or a choice between commands by the arguments. */
  readonly command: string | ((given: Given) => string)
  /** Ids of the commands whose arguments and flags the tool takes. The first one describes it. */
  readonly of?: readonly string[]
  /** Arguments in the order of the command. */
  readonly args?: readonly string[]
  readonly flags?: readonly string[]
  /** Words that every call passes. */
  readonly words?: readonly string[]
  /** Replaces in part what the command says about an argument, or adds one. */
  readonly more?: { readonly [name: string]: Property }
  readonly isForAnyService?: boolean
  /** Shortens the result. */
  shorten?(result: unknown): unknown
}

/** Builds a tool that runs a command. The command describes its arguments. */
export function fromCommand(about: FromCommand): Tool {
  const { effect, isUsual, takeBack, isForAnyService = false, args = [], flags = [], words = [], more = {} } = about
  const ids = about.of ?? (typeof about.command === 'string' ? [about.command] : [])
  return {
    description: about.description ?? '',
    ...{ effect, isUsual, isForAnyService },
    ...(takeBack === undefined ? {} : { takeBack }),
    async input(config) {
      const known = ids.map((id) => config.findCommand(id, { must: true }))
      const names = [...new Set([...args, ...flags, ...Object.keys(more)])]
      const properties = names.map((name) => [name, { ...describeGiven(known, name), ...more[name] }])
      const required = args.filter((name) => known.every((command) => command.args[name]?.required === true))
      return { properties: Object.fromEntries(properties), required }
    },
    async run(given, host) {
      const id = typeof about.command === 'string' ? about.command : about.command(given)
      const known = host.config.findCommand(id, { must: true })
      const flagWords = flags.flatMap((name) => (known.flags[name] ? wordsOfFlag(name, given[name]) : []))
      const argWords = args.flatMap((name) => (known.args[name] ? wordsOfArg(given[name]) : []))
      const result = await host.command(id, [...words, ...flagWords, '--', ...argWords])
      return about.shorten ? about.shorten(result) : result
    },
  }
}

function describeGiven(commands: readonly Command.Loadable[], name: string): Property {
  for (const { args, flags } of commands) {
    const arg = args[name]
    if (arg) return asMany({ type: 'string', description: arg.description ?? '' }, arg.multiple === true)
    const flag = flags[name]
    if (flag?.type === 'boolean') return { type: 'boolean', description: flag.description ?? '' }
    if (flag) {
      const one: Property = flag.options ? { type: 'string', enum: [...flag.options] } : { type: 'string' }
      return asMany({ ...one, description: flag.description ?? '' }, flag.multiple === true)
    }
  }
  return {}
}

function asMany({ description = '', ...one }: Property, isMany: boolean): Property {
  return isMany ? { type: 'array', items: one, description } : { ...one, description }
}

function wordsOfArg(value: unknown): string[] {
  return value === undefined ? [] : [value].flat().map(String)
}

function wordsOfFlag(name: string, value: unknown): string[] {
  if (value === undefined || value === false) return []
  if (value === true) return [`--${name}`]
  return [value].flat().map((one) => `--${name}=${one}`)
}

interface FromOperation extends About {
  /** Operation of the control contract: its place and names, for example `['requests', 'list']`. */
  readonly operation: readonly string[]
  /** Arguments taken from the request of the operation. */
  readonly fields: readonly string[]
  /** Arguments in addition to those of the request, and their descriptions where the contract has none. */
  readonly more?: { readonly [name: string]: Property }
  readonly required?: readonly string[]
  call(control: Control, given: never, project: string): Promise<unknown>
}

/** Builds a tool from operations of the control API. The contract describes its arguments. */
export function fromOperation(about: FromOperation): Tool {
  const { operation, fields, more = {}, effect, isUsual, takeBack } = about
  return {
    description: about.description ?? '',
    ...{ effect, isUsual, isForAnyService: false },
    ...(takeBack === undefined ? {} : { takeBack }),
    async input() {
      const { describeRequest } = await import('./contract-input.js')
      const { properties, required } = describeRequest(operation)
      const names = [...new Set([...fields, ...Object.keys(more)])]
      return {
        properties: Object.fromEntries(names.map((name) => [name, { ...properties[name], ...more[name] }])),
        required: about.required ?? required.filter((name) => fields.includes(name)),
      }
    },
    run: (given, host) => about.call(host.control(), given as never, host.emulator().projectId),
  }
}

/** Finds what is wrong with the arguments of a call. Undefined if nothing is. */
export function findMistake({ properties, required }: ToolInput, given: Given): string | undefined {
  const missing = required.find((name) => given[name] === undefined)
  if (missing !== undefined) return `"${missing}" is missing.`
  for (const [name, value] of Object.entries(given)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!property) return `Unknown argument. Use ${Object.keys(properties).join(', ') || 'no arguments'}.`
    if (!isOfType(value, property.type)) return `"${name}" must be of type ${String(property.type)}.`
    if (Array.isArray(property.enum) && !property.enum.includes(value as never))
      return `"${name}" must be one of ${property.enum.join(', ')}.`
  }
  return undefined
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof type !== 'string' || typeof value === type
}
