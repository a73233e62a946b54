/** Where exported documents go: stdout, or a file that is complete or not there. */
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
  throw misuse(`The name "${out}" does not show its format.`, `Name it: --format ${exportFormats.join('|')}`)
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
  // The old state must not outlive the documents that it tells of.
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
      // Whole or not at all: a process that is killed here leaves the state from before.
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

/** The file in whose place it comes may have become private since it was begun. A disk without modes has no others. */
function narrow(descriptor: number, mode: number): void {
  try {
    fchmodSync(descriptor, fstatSync(descriptor).mode & mode)
  } catch {
    // It has the mode of the file there once it is whole.
  }
}

interface Form {
  write(documents: readonly Document[], isFirst: boolean): string
  end(isEmpty: boolean): string
}

/** JSON says the same when it is escaped; the cells of CSV are as they are in a pipe, which a terminal would obey. */
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

/** Waits until it is written: what is too fast for its reader would pile up, and a full disk is known here. */
function written(stream: Writable, text: string): Promise<void> {
  if (text === '') return Promise.resolve()
  return new Promise((resolve, reject) => {
    stream.once('error', reject)
    stream.write(text, (error) => {
      // A stream that fails says it here first, and then to its listeners, of which there has to be one.
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
