/** Calls a tool: checks the arguments, saves a snapshot before writes, and words the answer. */
import type { Config } from '@oclif/core'
import type { Control } from '../../client/control.js'
import { describeFailure, misuse } from '../base/failure.js'
import { emulatorOfRunOrHere, noEmulatorAsked } from '../base/here.js'
import { nextCommand } from '../base/next-command.js'
import { SvcCommand } from '../base/svc-command.js'
import { withSnapshot } from '../snapshots/undoable.js'
import { openControl } from '../target/control.js'
import type { OwnEmulator } from '../target/emulator-of-run.js'
import { answerText } from './answer.js'
import { ClientWork } from './client-work.js'
import { findMistake, type Given, type Host, type Tool } from './tool.js'
import { tools } from './tools.js'

export interface Scope {
  readonly config: Config
  /** The profile named at the start. Undefined for the emulator of the folder. */
  readonly profile: string | undefined
  readonly mayWrite: boolean
  /** Names of tools offered in addition to the usual ones. */
  readonly further: readonly string[]
}

export interface ToolAnswer {
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly isError?: true
  readonly [key: string]: unknown
}

/** Returns the tools that the scope allows, by name. */
export function toolsOffered({ profile, mayWrite, further }: Scope): readonly (readonly [name: string, tool: Tool])[] {
  return Object.entries(tools).filter(
    ([name, { effect, isUsual, isForAnyService }]) =>
      (isUsual || further.includes(name)) &&
      (mayWrite || effect === 'read') &&
      (profile === undefined || isForAnyService),
  )
}

/** Writes run one after the other, because the undo of a write covers what happens until it ends. */
let lastWrite: Promise<unknown> = Promise.resolve()

export async function callTool(scope: Scope, name: string, given: Given): Promise<ToolAnswer> {
  const notes: string[] = []
  try {
    const tool = Object.fromEntries(toolsOffered(scope))[name]
    if (!tool) throw notOffered(scope, name)
    const mistake = findMistake(await tool.input(scope.config), given)
    if (mistake !== undefined) throw misuse(mistake, `Correct the arguments of ${name}.`)
    const run = () => callWith(scope, { name, tool, given, notes })
    if (tool.effect === 'read') return answered(await run())
    const write = lastWrite.then(run, run)
    lastWrite = write.catch(() => undefined)
    return answered(await write)
  } catch (error) {
    return refused(scope, name, { error, notes })
  }
}

interface Call {
  readonly name: string
  readonly tool: Tool
  readonly given: Given
  readonly notes: string[]
}

async function callWith(scope: Scope, { name, tool, given, notes }: Call): Promise<string> {
  const { takeBack, effect } = tool
  const isSaving = takeBack === 'snapshot' && scope.profile === undefined
  const host = openHost(scope, notes, isSaving)
  if (!isSaving) {
    const result = await tool.run(given, host)
    const ways = {
      command: 'Call undo, or run svc undo.',
      snapshot: 'This service has no snapshots. Delete what you created, or write the earlier values again.',
    }
    const way = takeBack === undefined ? undefined : (ways[takeBack as keyof typeof ways] ?? takeBack)
    return answerText({ result, notes, takeBack: effect === 'read' ? undefined : way })
  }
  let snapshot: string | undefined
  const saving = {
    ...{ emulator: host.emulator(), command: `mcp ${name}`, key: undefined },
    onSaved: (saved: string) => {
      snapshot = saved
    },
    onUnchanged: () => {
      snapshot = undefined
    },
    onGone: () => {
      snapshot = undefined
    },
    onUnsaved: async (why: string) => {
      throw misuse(`No snapshot could be saved, so nothing was changed. ${why}`, 'Free some space: svc snapshot list')
    },
  }
  const result = await withSnapshot(saving, () => tool.run(given, host))
  const way =
    snapshot === undefined ? 'Nothing changed.' : `Call undo with {"snapshot":"${snapshot}"}, or run svc undo.`
  return answerText({ result, notes, snapshot, takeBack: way })
}

function openHost({ config, profile }: Scope, notes: string[], hasSaved: boolean): Host {
  const emulator = (): OwnEmulator => {
    const found = emulatorOfRunOrHere(undefined)
    if (!found) throw noEmulatorAsked()
    return found
  }
  const caller = { note: (text: string) => void notes.push(text), hasSaved }
  // The address is always named, so that no setting of the folder leads elsewhere.
  const target = () => (profile === undefined ? [`--url=${emulator().url}`] : [`--profile=${profile}`])
  return {
    config,
    emulator,
    control: (): Control => openControl(emulator()),
    async command(id, words) {
      const known = config.findCommand(id, { must: true })
      const loaded = await known.load()
      const isOfService = Object.hasOwn(known.flags, 'url')
      const argv = [...(isOfService ? target() : []), '--json', '--yes', ...words]
      const command: unknown = Reflect.construct(loaded, [argv, config])
      if (!(command instanceof SvcCommand)) throw new TypeError(`${id} is not a command of svc.`)
      return command.runFor(caller)
    },
    client(work, as) {
      const words = [...target(), '--json', '--yes', ...(as === undefined ? [] : [`--as=${as}`])]
      return new ClientWork(words, config, work).runFor(caller)
    },
  }
}

function notOffered(scope: Scope, name: string): Error {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
  const offered = toolsOffered(scope).map(([other]) => other)
  if (!tool) return misuse('No such tool.', `Call one of ${offered.join(', ')}.`)
  if (tool.effect !== 'read' && !scope.mayWrite)
    return misuse(`${name} writes, but this server only reads.`, `Start it with: svc mcp --allow-writes`)
  if (scope.profile !== undefined && !tool.isForAnyService)
    return misuse(`${name} only works with the emulator.`, 'Start it without a profile: svc mcp')
  return misuse(`${name} is not among the tools of this server.`, `Start it with: svc mcp --tools ${name}`)
}

function answered(text: string): ToolAnswer {
  return { content: [{ type: 'text', text }] }
}

/** Tools that help after a failure, by its code. */
const nextTools: Readonly<Record<string, string>> = {
  FORBIDDEN: 'why_refused',
  UNAUTHORIZED: 'why_refused',
  NOT_FOUND: 'collections',
  VALIDATION_ERROR: 'collections',
}

function refused(
  scope: Scope,
  name: string,
  { error, notes }: { error: unknown; notes: readonly string[] },
): ToolAnswer {
  const failure = describeFailure(error)
  const { code, message, hint } = failure
  const tool = nextTools[code]
  const isOffered = tool !== undefined && tool !== name && toolsOffered(scope).some(([other]) => other === tool)
  const next = isOffered ? `Call ${tool}.` : nextCommand(failure, 'mcp')
  return { ...answered(answerText({ error: { code, message, hint: hint ?? null, next }, notes })), isError: true }
}
