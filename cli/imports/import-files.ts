import type { Input } from '../records/input.js'
import { count, counted } from '../terminal/print.js'
import { duration, type Progress } from '../terminal/progress.js'
import { type ImportOptions, type ImportSummary, importInput } from './import-input.js'
import type { RefusedFile, ReportedRefusal } from './refused-file.js'
import type { ImportState, StateFile } from './state.js'

export interface FilesOptions extends Omit<ImportOptions, 'onRefused' | 'onProgress'> {
  readonly restart: boolean
  /** Where to remember how far an input has come. */
  openState(input: Input): Promise<StateFile>
  readonly refused: RefusedFile
  readonly progress: Progress
  onResume(file: string, found: ImportState): void
}

/** What became of an import; `refusals` are the first few, the file has them all. */
export interface ImportReport {
  readonly accepted: number
  readonly refused: number
  readonly refusals: readonly ReportedRefusal[]
  readonly refusedFile: string | null
  readonly seconds: number
  readonly isWhole: boolean
  readonly files: readonly ImportSummary[]
}

/**
 * Imports one file after the other, until all are done or the signal says stop. What is known of each is forgotten only
 * once all are done, so that the same command creates nothing of the first ones again.
 */
export async function importFiles(inputs: readonly Input[], options: FilesOptions): Promise<ImportReport> {
  const { refused, progress, signal } = options
  const begunAt = performance.now()
  const files: ImportSummary[] = []
  let bytesBefore = 0
  const states = await openStates(inputs, options)
  if (![...states.values()].some(({ found }) => isBegun(found))) refused.clear()
  try {
    for (const [input, state] of states) {
      const before = sum(files, 'accepted')
      if (isBegun(state.found)) {
        progress.resume()
        options.onResume(input.name, state.found)
      }
      files.push(
        await importInput(input, state, {
          ...options,
          onRefused: (refusals) => refused.write(input.name, refusals),
          onProgress: ({ endByte, accepted }) => progress.at(bytesBefore + endByte, before + accepted),
        }),
      )
      bytesBefore += input.bytes ?? 0
      if (signal.aborted) break
    }
  } finally {
    progress.stop()
  }
  const isWhole = files.length === inputs.length && files.every((file) => file.isWhole)
  if (isWhole) for (const state of states.values()) state.remove()
  const refusedRows = sum(files, 'refused')
  return {
    accepted: sum(files, 'accepted'),
    refused: refusedRows,
    refusals: refused.first(),
    refusedFile: refusedRows > 0 ? refused.path : null,
    seconds: (performance.now() - begunAt) / 1000,
    isWhole,
    files,
  }
}

async function openStates(
  inputs: readonly Input[],
  { openState, restart }: FilesOptions,
): Promise<Map<Input, StateFile>> {
  const states = new Map<Input, StateFile>()
  for (const input of inputs) {
    const state = await openState(input)
    if (restart) state.remove()
    states.set(input, restart ? { ...state, found: undefined } : state)
  }
  return states
}

function isBegun(found: ImportState | undefined): found is ImportState {
  return found !== undefined && found.done > 0
}

/** Bytes of all inputs together; undefined if one of them cannot say. */
export function sizeOf(inputs: readonly Input[]): number | undefined {
  let bytes = 0
  for (const input of inputs) {
    if (input.bytes === undefined) return undefined
    bytes += input.bytes
  }
  return bytes
}

/** The report in words. */
export function reportLines({ accepted, refused, refusals, refusedFile, seconds, files }: ImportReport): string[] {
  const rate = Math.round((accepted - sum(files, 'acceptedBefore')) / Math.max(seconds, 0.001))
  const summary = `${counted(accepted, 'document')} imported in ${duration(seconds)} (${count(rate)}/s)`
  if (refused === 0) return [summary]
  const shown = refusals.map(({ file, line, reason }) => `  ${file}:${line}  ${reason}`)
  const more = refused > shown.length ? [`  … and ${count(refused - shown.length)} more`] : []
  return [summary, `${counted(refused, 'row')} refused, kept with the reasons in ${refusedFile}:`, ...shown, ...more]
}

function sum(files: readonly ImportSummary[], name: 'accepted' | 'refused' | 'acceptedBefore'): number {
  return files.reduce((total, file) => total + file[name], 0)
}
