/** Converts a JSON, NDJSON or CSV file with documents of one collection to steps. */
import { basename, extname } from 'node:path'
import type { JsonObject } from '../client/protocol/model/json.js'
import { maxBatchItems } from '../client/protocol/model/limits.js'
import type { SeedContent } from './content.js'
import { badSeed } from './failure.js'
import { hasCells, openInput, readRecords } from './records/input.js'
import type { BadRow } from './records/record.js'
import type { PlacedStep } from './steps.js'

/** Maximum size of one step, well below the body limit. */
const maxStepBytes = 4 * 1024 * 1024

/** Derives the name of the collection from the file name. */
export function nameCollection(file: string): string {
  return basename(file, extname(file))
}

/** Reads documents of one collection as a seed, to compare them with an earlier version. @throws like `rowSteps` */
export async function rowContent(file: string, text: string | undefined): Promise<SeedContent> {
  const steps = await rowSteps(file, { text, key: undefined })
  const documents = steps.flatMap(({ step, whereIs }) =>
    step.step === 'documents'
      ? step.documents.map(({ data }, at) => ({ fields: data, place: whereIs([at]).place }))
      : [],
  )
  const collection = {
    ...{ name: nameCollection(file), place: file, schema: undefined, permissions: undefined, key: undefined },
    documents: documents.map((document, at) => ({ name: String(at), ...document })),
  }
  const source = { name: file, locate: () => file }
  return { source, files: [], users: [], collections: [collection], hasUsers: false, hasFiles: false }
}

/**
 * @param text content to use instead of the file's own
 * @throws {InputFailure} with file and line of the first invalid row
 */
export async function rowSteps(
  file: string,
  { text, key }: { text: string | undefined; key: string | undefined },
): Promise<PlacedStep[]> {
  const name = nameCollection(file)
  const steps: PlacedStep[] = [
    {
      step: { step: 'collection', name, key, isKeyGuessed: hasCells(file) },
      whereIs: () => ({ place: file, what: name }),
    },
  ]
  const bad: BadRow[] = []
  let rows: { line: number; fields: JsonObject }[] = []
  let bytes = 0
  const flush = () => {
    if (rows.length > 0) steps.push(buildStep(file, rows))
    rows = []
    bytes = 0
  }
  for await (const records of readRecords({ ...(await openInput(file)), text }, { types: new Map() })) {
    for (const record of records) {
      if ('problem' in record) {
        bad.push(record)
        continue
      }
      if (rows.length >= maxBatchItems || bytes + record.bytes > maxStepBytes) flush()
      rows.push({ line: record.line, fields: record.fields })
      bytes += record.bytes
    }
  }
  flush()
  const [first] = bad
  if (!first) return steps
  const more = bad.length > 1 ? `, and ${bad.length - 1} more rows are refused` : ''
  throw badSeed(`${file}:${first.line}`, `${first.problem.replace(/\.$/, '')}${more}`)
}

function buildStep(file: string, rows: readonly { line: number; fields: JsonObject }[]): PlacedStep {
  return {
    step: { step: 'documents', documents: rows.map(({ fields }) => ({ data: fields })) },
    whereIs: ([index]) => ({ place: `${file}:${rows[Number(index)]?.line ?? 1}`, what: '' }),
  }
}
