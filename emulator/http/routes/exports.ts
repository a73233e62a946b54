import { Readable } from 'node:stream'
import type { MatchQuery } from '../../../client/protocol/model/aggregate.js'
import {
  isObject,
  type Json,
  type JsonObject,
  objectIn,
  objectOfMany,
  parseJson,
  writeJson,
} from '../../../client/protocol/model/json.js'
import { withoutFormula } from '../../../client/protocol/model/spreadsheet.js'
import type { Dialect } from '../../../client/protocol/wire/axes.js'
import { badParameter } from '../../../client/protocol/wire/query/decode.js'
import { encodeDocument } from '../../../client/protocol/wire/records/documents.js'
import type { Context } from '../../core/context.js'
import { describeDocuments, exportDocuments } from '../../core/documents/door.js'
import { openPauses } from '../../core/pauses.js'
import { matchQuery } from '../request/read-list.js'
import { type QueryForm, route } from '../route.js'

interface ExportQuery {
  readonly format: keyof typeof formats
  readonly match: MatchQuery
}

interface Source {
  readonly ctx: Context
  readonly collection: string
  readonly dialect: Dialect
  readonly match: MatchQuery
}

type Row = readonly (readonly [name: string, value: Json])[]

const formats = {
  json: { type: 'application/json; charset=utf-8', write: writeArray },
  csv: { type: 'text/csv; charset=utf-8', write: writeTable },
} as const satisfies {
  readonly [format: string]: { readonly type: string; write(source: Source): AsyncGenerator<string> }
}

const exportQuery: QueryForm<ExportQuery> = {
  parameters: (dialect) => [
    {
      name: 'format',
      description: 'The format of the file.',
      schema: { type: 'string', enum: Object.keys(formats), default: 'json' },
    },
    ...matchQuery.parameters(dialect),
  ],
  read(dialect, parameters) {
    const [, format = 'json'] = parameters.find(([name]) => name === 'format') ?? []
    if (format !== 'json' && format !== 'csv')
      throw badParameter('format', `"format" is json or csv, not "${format.slice(0, 80)}".`)
    return {
      format,
      match: matchQuery.read(
        dialect,
        parameters.filter(([name]) => name !== 'format'),
      ),
    }
  },
}

/** Serves what the deployed service tells about a collection besides its documents. */
export const exportRoutes = [
  route({
    id: 'documents.describe',
    summary: 'Describe the fields of the newest 100 documents.',
    method: 'get',
    paths: { any: ['/collections/:collection/query/schema'] },
    needs: 'caller',
    scope: 'in collection',
    reply: 'plain',
    async handle(ctx, { params }) {
      const { collection, documentCount, analyzedCount, fields, links } = await describeDocuments(
        ctx,
        params.collection,
      )
      const described = [...fields].map(
        ([name, { types, primaryType, isNullable, nullPercentage, samples }]) =>
          [
            name,
            {
              ...{ types: { ...types }, primary_type: primaryType, nullable: isNullable },
              ...{ null_percentage: nullPercentage, samples: [...samples] },
            },
          ] as const,
      )
      return {
        collection,
        document_count: documentCount,
        analyzed_documents: analyzedCount,
        fields: objectOfMany(described),
        detected_relationships: links.map((link) => ({ ...link })),
        usage_hint: 'Filter a field by its name and a suffix, for example views_gte=100.',
      }
    },
  }),
  route({
    id: 'documents.export',
    summary: 'Download the documents that match a filter, at most 10,000, as flat rows.',
    method: 'get',
    paths: { any: ['/collections/:collection/export'] },
    needs: 'caller',
    scope: 'in collection',
    query: exportQuery,
    reply: 'download',
    async handle(ctx, { params: { collection }, query: { format, match }, dialect }) {
      const { type, write } = formats[format]
      const pieces = write({ ctx, collection, dialect, match })
      // Reads the first page before the answer begins, so that a refusal has its status.
      const first = await pieces.next()
      const bytes = Readable.from(rest(first.value ?? '', pieces))
      return { name: `export.${format}`, type, bytes }
    },
  }),
]

async function* rest(first: string, others: AsyncGenerator<string>) {
  yield first
  yield* others
}

async function* readRows({ ctx, collection, dialect, match }: Source): AsyncGenerator<Row> {
  const pauses = openPauses()
  const shape = { ...dialect, document: 'deployed', record: 'bare' } as const
  for await (const document of exportDocuments(ctx, collection, match)) {
    const text = writeJson(encodeDocument(shape, document))
    const pause = pauses.after(text.length)
    if (pause) await pause
    yield toRow(objectIn(parseJson(text)))
  }
}

/** The service's own fields win over fields of those names. */
function toRow({ id = null, created_at = null, data }: JsonObject): Row {
  const fields = Object.entries(objectIn(data)).filter(([name]) => name !== 'id' && name !== 'created_at')
  return [['id', id], ['created_at', created_at], ...fields]
}

async function* writeArray(source: Source): AsyncGenerator<string> {
  let before = '['
  for await (const row of readRows(source)) {
    yield `${before}${JSON.stringify(objectOfMany(row))}`
    before = ',\n'
  }
  yield before === '[' ? '[]' : ']'
}

/** Reads the documents twice, so that it holds the names of the columns instead of the documents. */
async function* writeTable(source: Source): AsyncGenerator<string> {
  const names = new Set(['id', 'created_at'])
  for await (const row of readRows(source)) for (const [name] of row) names.add(name)
  yield toLine([...names])
  for await (const row of readRows(source)) {
    const values: JsonObject = objectOfMany(row)
    yield toLine([...names].map((name) => values[name] ?? ''))
  }
}

function toLine(values: readonly Json[]): string {
  return `${values.map(toCell).join(',')}\r\n`
}

/** Keeps spreadsheets from running text as a formula, and quotes what would end a cell. */
function toCell(value: Json): string {
  const isNested = Array.isArray(value) || isObject(value)
  const text = isNested ? JSON.stringify(value) : String(value)
  const safe = typeof value === 'string' ? withoutFormula(text) : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
