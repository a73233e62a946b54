/** Reads the inputs of an import without sending anything. */
import { type ImportSource, type ReadOptions, readRecords } from '../../seeds/records/input.js'
import type { BadRow } from '../../seeds/records/record.js'
import { printable } from '../terminal/text-width.js'

export interface ImportPlan {
  readonly isPlan: true
  readonly records: number
  /** Rows that cannot be read. The service may refuse more. */
  readonly unreadable: number
  readonly files: readonly PlannedInput[]
}

interface PlannedInput {
  readonly file: string
  readonly records: number
  readonly unreadable: number
  /** The first unreadable rows. */
  readonly problems: readonly { readonly line: number; readonly problem: string }[]
}

const maxProblems = 20

export async function planImport(inputs: readonly ImportSource[], options: ReadOptions): Promise<ImportPlan> {
  const files: PlannedInput[] = []
  for (const input of inputs) files.push(await planInput(input, options))
  const sum = (name: 'records' | 'unreadable') => files.reduce((all, file) => all + file[name], 0)
  return { isPlan: true, records: sum('records'), unreadable: sum('unreadable'), files }
}

async function planInput(input: ImportSource, options: ReadOptions): Promise<PlannedInput> {
  const problems: BadRow[] = []
  let records = 0
  let unreadable = 0
  for await (const handful of readRecords(input, options)) {
    for (const record of handful) {
      if ('fields' in record) records += 1
      else {
        unreadable += 1
        if (problems.length < maxProblems) problems.push(record)
      }
    }
  }
  const shown = problems.map(({ line, problem }) => ({ line, problem: printable(problem) }))
  return { file: input.name, records, unreadable, problems: shown }
}
