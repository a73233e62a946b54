/** Where exported documents go: stdout, or a file that is complete or not there. */
import { once } from 'node:events'
import { createWriteStream, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { rename, rm, truncate } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Writable } from 'node:stream'
import type { Document } from '../../client/model/document.js'
import { isObject, type JsonObject } from '../../client/model/json.js'
import { misuse } from '../failure.js'
import { formatDocuments } from './format-documents.js'

export const exportFormats = ['ndjson', 'json', 'csv'] as const
export type ExportFormat = (typeof exportFormats)[number]

export interface ExportTarget {
  readonly path: string | undefined
  readonly format: ExportFormat
  readonly columns: readonly string[] | undefined
  readonly withIds: boolean
  readonly restart: boolean
  /** What is asked for: an export that asks for something else begins anew. */
  readonly question: readonly string[]
}

export interface ExportFile {
  /** How many documents it holds from an earlier, stopped export, and the last of them. */
  readonly resumed: number
  readonly lastId: string | undefined
  write(documents: readonly Document[]): Promise<void>
  finish(): Promise<void>
}

interface Progress {
  readonly question: string
  readonly bytes: number
  readonly documents: number
  readonly lastId: string
}

const byExtension: { readonly [extension: string]: ExportFormat } = {
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
}

/** How to write, as it was said, or as the file is called. */
export function exportFormat({ format, out }: { format?: ExportFormat; out?: string }): ExportFormat {
  const named = format ?? (out === undefined ? 'ndjson' : byExtension[extname(out).toLowerCase()])
  if (named) return named
  throw misuse(`How to write "${out}" cannot be told from its name.`, `Say it: --format ${exportFormats.join('|')}`)
}

export async function openExportFile(target: ExportTarget): Promise<ExportFile> {
  const { path, columns, withIds } = target
  const format = target.format ?? (path === undefined ? 'ndjson' : byExtension[extname(path).toLowerCase()])
  if (!format)
    throw misuse(`How to write "${path}" cannot be told from its name.`, `Say it: --format ${exportFormats.join('|')}`)
  const form = await formatDocuments(format, { columns, withIds })
  if (path === undefined) return onStream(process.stdout, form)

  const part = `${path}.part`
  const state = `${part}.state`
  const question = JSON.stringify([...target.question, format, columns ?? null, withIds])
  const found = target.restart ? undefined : readProgress(state, part, question)
  if (found) await truncate(part, found.bytes)
  const stream = createWriteStream(part, { flags: found ? 'a' : 'w' })
  await once(stream, 'open')
  let { bytes, documents } = found ?? { bytes: 0, documents: 0 }
  const write = async (text: string) => {
    bytes += Buffer.byteLength(text)
    if (!stream.write(text)) await once(stream, 'drain')
  }
  const flushed = () => new Promise<void>((resolve) => stream.write('', () => resolve()))
  return {
    resumed: documents,
    lastId: found?.lastId,
    async write(some) {
      await write(form.write(some, documents === 0))
      documents += some.length
      const lastId = some.at(-1)?.id ?? ''
      await flushed()
      writeFileSync(state, JSON.stringify({ question, bytes, documents, lastId } satisfies Progress))
    },
    async finish() {
      await write(form.end(documents === 0))
      stream.end()
      await once(stream, 'close')
      await rename(part, path)
      await rm(state, { force: true })
    },
  }
}

interface Form {
  write(documents: readonly Document[], isFirst: boolean): string
  end(isEmpty: boolean): string
}

function onStream(stream: Writable, form: Form): ExportFile {
  let documents = 0
  const write = async (text: string) => {
    if (text !== '' && !stream.write(text)) await once(stream, 'drain')
  }
  return {
    resumed: 0,
    lastId: undefined,
    async write(some) {
      await write(form.write(some, documents === 0))
      documents += some.length
    },
    finish: () => write(form.end(documents === 0)),
  }
}

function readProgress(state: string, part: string, question: string): Progress | undefined {
  if (!existsSync(state) || !existsSync(part)) return undefined
  try {
    const progress: unknown = JSON.parse(readFileSync(state, 'utf8'))
    return isObject(progress) && progress.question === question ? (progress as JsonObject & Progress) : undefined
  } catch {
    return undefined
  }
}
