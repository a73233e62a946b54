import type { ImportSource } from '../../seeds/records/input.js'
import { misuse } from '../base/failure.js'
import { count, counted } from '../terminal/print.js'
import { duration } from '../terminal/progress.js'
import { type ImportOptions, type ImportSummary, importInput } from './import-input.js'
import type { RefusedFile, ReportedRefusal } from './refused-file.js'
import type { Missing } from './run-import.js'
import type { ImportState, StateFile } from './state.js'

export type States = ReadonlyMap<ImportSource, StateFile>

interface StatesOptions {
  /** Opens the saved progress of an input. */
  openState(input: ImportSource): Promise<StateFile>
  readonly refused: RefusedFile
  /** Number of documents in the collection. Undefined if the key cannot read it. */
  readonly documentCount: number | undefined
}

/** Reports a resumed file, the progress, or the records that may be missing after a failure. */
export type ImportProgress =
  | { readonly kind: 'resumed'; readonly file: string; readonly state: ImportState }
  | { readonly kind: 'advanced'; readonly bytes: number; readonly documents: number }
  | { readonly kind: 'failed'; readonly file: string; readonly missing: Missing }

/** Summarizes an import. `refusals` holds the first few; the file has all. */
export interface ImportReport {
  readonly accepted: number
  readonly refused: number
  /** Accepted documents whose id did not exist, so they got a new one. */
  readonly newIds: number
  readonly refusals: readonly ReportedRefusal[]
  readonly refusedFile: string | null
  readonly seconds: number
  readonly isWhole: boolean
  readonly files: readonly ImportSummary[]
}

/**
 * Imports one file after another until all are done or the signal aborts. Keeps the state until the command ends, so
 * running it again creates nothing twice.
 */
export async function* importFiles(
  states: States,
  options: ImportOptions & { readonly refused: RefusedFile },
): AsyncGenerator<ImportProgress, ImportReport, undefined> {
  const { refused } = options
  const begunAt = performance.now()
  const files: ImportSummary[] = []
  let bytesBefore = 0
  clearEarlierRun(states, refused)
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

/** Clears what an earlier run saved, except for files that this run resumes: it keeps their refused rows. */
function clearEarlierRun(states: States, refused: RefusedFile): void {
  const begun = startedStates(states)
  if (begun.length === 0) refused.clear()
  else
    refused.resume(
      begun.flatMap(({ refusedFile }) => refusedFile ?? []),
      // Uses both the current and the saved name of each file.
      [...states].flatMap(([{ name }, { found }]) => (found ? [name, found.file] : [name])),
    )
  // Not left to the import of each file, because a run with --restart may stop before its last one.
  for (const state of states.values()) if (!state.found) state.remove()
}

/**
 * Opens the states of all inputs. Each also records the size of the file for refused rows. An import never reads that file
 * again, even if the input pattern matches it on the second run.
 *
 * @throws {CliFailure} if a new import would overwrite one of its inputs
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
  const isResumed = startedStates(states).some(({ refusedFile }) => refusedFile?.path === refused.size().path)
  if (isResumed) return states
  const hint =
    'Remove it from the inputs, or choose another file with --refused. To import a corrected row, copy the "row" of its line to a separate file.'
  throw misuse(`"${refused.path}" is both an input and the file for refused rows.`, hint)
}

function startedStates(states: States): ImportState[] {
  return [...states.values()].flatMap(({ found }) => (isBegun(found) ? [found] : []))
}

function isBegun(found: ImportState | undefined): found is ImportState {
  return found !== undefined && found.done > 0
}

/** Adds up the size of all inputs in bytes. Undefined if one is unknown. */
export function totalBytes(inputs: readonly ImportSource[]): number | undefined {
  let bytes = 0
  for (const input of inputs) {
    if (input.bytes === undefined) return undefined
    bytes += input.bytes
  }
  return bytes
}

/** Formats the report for the terminal. */
export function reportLines(report: ImportReport): string[] {
  const { accepted, refused, newIds, refusals, refusedFile, seconds, files } = report
  const rate = Math.round((accepted - sum(files, 'acceptedBefore')) / Math.max(seconds, 0.001))
  const summary = `${counted(accepted, 'document')} imported in ${duration(seconds)} (${count(rate)}/s)`
  const first = newIds === 0 ? [summary] : [summary, ...newIdLines(newIds)]
  if (refused === 0) return first
  const shown = refusals.map(({ file, line, reason }) => `  ${file}:${line}  ${reason}`)
  const more = refused > shown.length ? [`  … and ${count(refused - shown.length)} more`] : []
  return [...first, `${counted(refused, 'row')} refused, saved with the reasons in ${refusedFile}:`, ...shown, ...more]
}

/** Only the service assigns ids. */
function newIdLines(newIds: number): string[] {
  return [
    newIds === 1
      ? '1 document had an id that does not exist; it was created with a new id'
      : `${count(newIds)} documents had ids that do not exist; they were created with new ids`,
    'links to their old ids no longer work; to keep ids, use a snapshot (svc snapshot)',
  ]
}

function sum(files: readonly ImportSummary[], name: 'accepted' | 'refused' | 'newIds' | 'acceptedBefore'): number {
  return files.reduce((total, file) => total + file[name], 0)
}
