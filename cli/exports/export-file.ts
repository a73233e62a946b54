/** Writes exported documents to stdout or atomically to a file. */
import { once } from 'node:events'
import {
  createWriteStream,
  existsSync,
  fchmodSync,
  fstatSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { rm, truncate } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import type { Writable } from 'node:stream'
import type { Document } from '../../client/protocol/model/document.js'
import { isObject, type JsonObject } from '../../client/protocol/model/json.js'
import { misuse } from '../base/failure.js'
import { claim } from '../files/claim.js'
import { openDevice, realPlace, requirePlace } from '../files/places.js'
import { draftModeFor, putInPlace } from '../files/replace-file.js'
import { requireNoLink } from '../target/no-link.js'
import { printableLines } from '../terminal/text-width.js'
import { type ExportFormat, exportFormats, formatDocuments } from './format-documents.js'

export interface ExportTarget {
  readonly path: string | undefined
  readonly format: ExportFormat
  readonly columns: readonly string[] | undefined
  readonly withIds: boolean
  readonly isSafe: boolean
  readonly restart: boolean
  /** Identifies the export. An export with other options starts over. */
  readonly question: readonly string[]
}

export interface ExportFile {
  /** Number of documents from an earlier, interrupted export, and the id of the last one. */
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

/** Picks the format from the flag or the file extension. */
export function exportFormat({ format, out }: { format?: ExportFormat; out?: string }): ExportFormat {
  const named = format ?? (out === undefined ? 'ndjson' : byExtension[extname(out).toLowerCase()])
  if (named) return named
  throw misuse(`Cannot tell the format from "${out}".`, `Choose one: --format ${exportFormats.join('|')}`)
}

export async function openExportFile(target: ExportTarget): Promise<ExportFile> {
  const { path, format, columns, withIds, isSafe } = target
  const form = await formatDocuments(format, { columns, withIds, isSafe })
  if (path === undefined)
    return onStream(process.stdout, format === 'csv' && !process.stdout.isTTY ? form : shown(form))
  requirePlace(path)
  const device = openDevice(path)
  if (device) return onStream(device, form, ended)

  const file = realPlace(path)
  const part = `${file}.part`
  const state = `${part}.state`
  for (const own of [part, state, `${state}.new`]) requireNoLink(own, dirname(file))
  claim(part, { message: `Another export is writing "${path}".`, hint: 'Wait for it, or export to another file' })
  const question = JSON.stringify([...target.question, format, columns ?? null, withIds, isSafe])
  const found = target.restart ? undefined : readProgress(state, part, question)
  if (found) await truncate(part, found.bytes)
  // Deletes the state first, so that it never outlives its documents.
  else for (const own of [state, part]) await rm(own, { force: true })
  const mode = draftModeFor(file)
  const stream = createWriteStream(part, { flags: found ? 'a' : 'wx', mode })
  const [descriptor] = await once(stream, 'open')
  if (found) narrow(descriptor, mode)
  let { bytes, documents } = found ?? { bytes: 0, documents: 0 }
  const write = (text: string) => {
    bytes += Buffer.byteLength(text)
    return written(stream, text)
  }
  return {
    resumed: documents,
    lastId: found?.lastId,
    async write(some) {
      await write(form.write(some, documents === 0))
      documents += some.length
      const lastId = some.at(-1)?.id ?? ''
      // Renames atomically, so that a crash leaves the previous state.
      writeFileSync(`${state}.new`, JSON.stringify({ question, bytes, documents, lastId } satisfies Progress))
      renameSync(`${state}.new`, state)
    },
    async finish() {
      await write(form.end(documents === 0))
      await ended(stream)
      await putInPlace(part, file)
      await rm(state, { force: true })
    },
  }
}

/** Restricts the draft if the target file became private since the export began. */
function narrow(descriptor: number, mode: number): void {
  try {
    fchmodSync(descriptor, fstatSync(descriptor).mode & mode)
  } catch {
    // File systems without modes need no change.
  }
}

interface Form {
  write(documents: readonly Document[], isFirst: boolean): string
  end(isEmpty: boolean): string
}

/** Escapes control characters on a terminal. JSON keeps its meaning; CSV stays unescaped in a pipe. */
function shown({ write, end }: Form): Form {
  return { write: (documents, isFirst) => printableLines(write(documents, isFirst)), end }
}

function onStream(stream: Writable, form: Form, end?: (stream: Writable) => Promise<void>): ExportFile {
  let documents = 0
  return {
    resumed: 0,
    lastId: undefined,
    async write(some) {
      await written(stream, form.write(some, documents === 0))
      documents += some.length
    },
    async finish() {
      await written(stream, form.end(documents === 0))
      await end?.(stream)
    },
  }
}

/** Waits for each write, for backpressure and to notice a full disk. */
function written(stream: Writable, text: string): Promise<void> {
  if (text === '') return Promise.resolve()
  return new Promise((resolve, reject) => {
    stream.once('error', reject)
    stream.write(text, (error) => {
      // A failed stream reports the error here first and then emits it, so one listener must remain.
      if (error) return reject(error)
      stream.off('error', reject)
      resolve()
    })
  })
}

async function ended(stream: Writable): Promise<void> {
  const closed = once(stream, 'close')
  stream.end()
  await closed
}

function readProgress(state: string, part: string, question: string): Progress | undefined {
  if (!existsSync(state) || !existsSync(part)) return undefined
  try {
    const progress: unknown = JSON.parse(readFileSync(state, 'utf8'))
    if (!isObject(progress) || progress.question !== question) return undefined
    const found = progress as JsonObject & Progress
    return statSync(part).size >= found.bytes ? found : undefined
  } catch {
    return undefined
  }
}
