import type { ImportSource } from '../../seeds/records/input.js'
import { misuse } from '../base/failure.js'
import { count, counted } from '../terminal/print.js'
import { duration } from '../terminal/progress.js'
import { type ImportOptions, type ImportSummary, importInput } from './import-input.js'
import type { RefusedFile, ReportedRefusal } from './refused-file.js'
import type { Missing } from './run-import.js'
import type { ImportState, StateFile } from './state.js'

/** The inputs of an import, and how far each has come. */
export type States = ReadonlyMap<ImportSource, StateFile>

interface StatesOptions {
  /** Where to remember how far an input has come. */
  openState(input: ImportSource): Promise<StateFile>
  readonly refused: RefusedFile
  /** How many documents the collection has now; undefined where the key does not see that. */
  readonly documentCount: number | undefined
}

/** What an import of several files yields while it runs: a file that goes on where it stopped, how far it is, and what an input lacks that is read once. */
export type ImportProgress =
  | { readonly kind: 'resumed'; readonly file: string; readonly state: ImportState }
  | { readonly kind: 'advanced'; readonly bytes: number; readonly documents: number }
  | { readonly kind: 'failed'; readonly file: string; readonly missing: Missing }

/** What became of an import; `refusals` are the first few, the file has them all. */
export interface ImportReport {
  readonly accepted: number
  readonly refused: number
  /** Of `accepted`, those that were to have an id that is not there: they were created under another. */
  readonly newIds: number
  readonly refusals: readonly ReportedRefusal[]
  readonly refusedFile: string | null
  readonly seconds: number
  readonly isWhole: boolean
  readonly files: readonly ImportSummary[]
}

/**
 * Imports one file after the other, until all are done or the signal says stop. The states stay until the command is at its
 * end: given again before that, it creates nothing of what is done again.
 */
export async function* importFiles(
  states: States,
  options: ImportOptions & { readonly refused: RefusedFile },
): AsyncGenerator<ImportProgress, ImportReport, undefined> {
  const { refused } = options
  const begunAt = performance.now()
  const files: ImportSummary[] = []
  let bytesBefore = 0
  const begun = begunOf(states)
  if (begun.length === 0) refused.clear()
  else
    refused.resume(
      begun.flatMap(({ refusedFile }) => refusedFile ?? []),
      // By the names that they have now, and had then.
      [...states].flatMap(([{ name }, { found }]) => (found ? [name, found.file] : [name])),
    )
  // With --restart, all that an earlier run saved: this one may be stopped before it comes to its last file.
  for (const state of states.values()) if (!state.found) state.remove()
  for (const [input, state] of states) {
    const before = sum(files, 'accepted')
    if (isBegun(state.found)) yield { kind: 'resumed', file: input.name, state: state.found }
    const steps = importInput(input, state, options)
    let step = await steps.next()
    for (; !step.done; step = await steps.next()) {
      const { endByte, accepted } = step.value.state
      refused.write(input.name, step.value.refused)
      yield { kind: 'advanced', bytes: bytesBefore + endByte, documents: before + accepted }
      if (step.value.missing) yield { kind: 'failed', file: input.name, missing: step.value.missing }
    }
    files.push(step.value)
    bytesBefore += input.bytes ?? 0
    if (options.signal.aborted) break
  }
  const isWhole = files.length === states.size && files.every((file) => file.isWhole)
  const refusedRows = sum(files, 'refused')
  return {
    accepted: sum(files, 'accepted'),
    refused: refusedRows,
    newIds: sum(files, 'newIds'),
    refusals: refused.first(),
    refusedFile: refusedRows > 0 ? refused.path : null,
    seconds: (performance.now() - begunAt) / 1000,
    isWhole,
    files,
  }
}

/**
 * The states of all inputs; each says, too, how much of the file of refused rows was written when it was saved. That file is no
 * input of the import that writes it: a pattern that matched no such file at first does so once the same command is given again.
 *
 * @throws {CliFailure} where a new import would write over one of its inputs
 */
export async function openStates(
  inputs: readonly ImportSource[],
  { openState, refused, documentCount }: StatesOptions,
): Promise<States> {
  const states = new Map<ImportSource, StateFile>()
  for (const input of inputs) states.set(input, await openState(input))
  const [begun] = [...states.values()].flatMap(({ found }) => found ?? [])
  const documentsBefore = begun ? begun.documentsBefore : documentCount
  for (const [input, state] of states) {
    const save = (reached: ImportState) => state.save({ ...reached, documentsBefore, refusedFile: refused.size() })
    states.set(input, { ...state, documentsBefore, save })
  }
  const itself = inputs.filter((input) => refused.isInput(input))
  if (itself.length === 0) return states
  for (const input of itself) states.delete(input)
  const isResumed = begunOf(states).some(({ refusedFile }) => refusedFile?.path === refused.size().path)
  if (isResumed) return states
  const hint =
    'Leave it out, or name another with --refused. A row to repair is the "row" of a line: put it into a file of its own.'
  throw misuse(`"${refused.path}" is the file for refused rows, and one of the inputs.`, hint)
}

function begunOf(states: States): ImportState[] {
  return [...states.values()].flatMap(({ found }) => (isBegun(found) ? [found] : []))
}

function isBegun(found: ImportState | undefined): found is ImportState {
  return found !== undefined && found.done > 0
}

/** Bytes of all inputs together; undefined if one of them cannot say. */
export function sizeOf(inputs: readonly ImportSource[]): number | undefined {
  let bytes = 0
  for (const input of inputs) {
    if (input.bytes === undefined) return undefined
    bytes += input.bytes
  }
  return bytes
}

/** The report in words. */
export function reportLines(report: ImportReport): string[] {
  const { accepted, refused, newIds, refusals, refusedFile, seconds, files } = report
  const rate = Math.round((accepted - sum(files, 'acceptedBefore')) / Math.max(seconds, 0.001))
  const summary = `${counted(accepted, 'document')} imported in ${duration(seconds)} (${count(rate)}/s)`
  const first = newIds === 0 ? [summary] : [summary, ...newIdLines(newIds)]
  if (refused === 0) return first
  const shown = refusals.map(({ file, line, reason }) => `  ${file}:${line}  ${reason}`)
  const more = refused > shown.length ? [`  … and ${count(refused - shown.length)} more`] : []
  return [...first, `${counted(refused, 'row')} refused, kept with the reasons in ${refusedFile}:`, ...shown, ...more]
}

/** The service gives each document its id. */
function newIdLines(newIds: number): string[] {
  return [
    newIds === 1
      ? '1 document had an id that is not there; it was created with a new id'
      : `${count(newIds)} documents had ids that are not there; they were created with new ids`,
    'what refers to them by their former ids no longer finds them; a snapshot (svc snapshot) keeps ids',
  ]
}

function sum(files: readonly ImportSummary[], name: 'accepted' | 'refused' | 'newIds' | 'acceptedBefore'): number {
  return files.reduce((total, file) => total + file[name], 0)
}
