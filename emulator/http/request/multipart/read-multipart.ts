/**
 * Reads a form into a JSON body and stored files, and enforces every limit. Streams files to the store without ever buffering a
 * whole one. Contract 3.4.
 */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import multer, { type Options, type StorageEngine } from 'multer'
import { SvcError } from '../../../../client/protocol/model/errors.js'
import { sizes } from '../../../../client/protocol/model/limits.js'
import type { Backend } from '../../../core/context.js'
import {
  type FileRules,
  type IncomingFile,
  landUpload,
  removeUploads,
  type Upload,
} from '../../../core/files/uploads.js'
import type { HttpContext } from '../../http-context.js'
import type { Incoming } from '../../stages.js'
import { Aborted, decodeUtf8 } from '../read-json.js'
import { type FormSource, openFormSource } from './form-source.js'
import { type FileWeight, type FormWeight, openFormWeight, weighWhileParsed } from './form-weight.js'
import {
  formFault,
  noBoundary,
  notOnce,
  requireFieldName,
  requireWanted,
  textTooLong,
  tooManyFiles,
} from './part-faults.js'
import { type PartHeads, watchParts } from './watch-parts.js'

/** A sender that is silent for this long is gone. */
const maxSilentMilliseconds = 60_000

/** The parts that a form may have. */
export interface PartRules {
  /** The backend that stores its files. */
  readonly backend: Backend
  /** The names of text parts. Every other part is a file. */
  readonly texts: readonly string[]
  readonly files: FileRules
  readonly maxFiles: number
  /**
   * Checks a file before its bytes are stored, given the number of files before it.
   *
   * @throws {SvcError}
   */
  readonly requireFile?: ((field: string, others: number) => void) | undefined
}

export interface Parts {
  /** The texts by part name. */
  readonly texts: ReadonlyMap<string, string>
  readonly files: readonly Upload[]
}

/** Whether a request has a multipart form. */
export function isMultipart({ headers }: IncomingMessage): boolean {
  return /^multipart\/form-data\s*(?:;|$)/i.test(headers['content-type'] ?? '')
}

function hasBoundary({ headers }: IncomingMessage): boolean {
  return /;\s*boundary=\s*(?:"[^"]|[^\s;"])/i.test(headers['content-type'] ?? '')
}

/**
 * @throws {SvcError} `INVALID_BODY` for an unreadable form, `VALIDATION_ERROR` for an unexpected text, `FILE_TOO_LARGE`,
 * `STORAGE_LIMIT`, `INVALID_PATH`. Removes the stored files on failure, or later if the store fails too.
 */
export async function readMultipart(http: HttpContext, incoming: Incoming, rules: PartRules): Promise<Parts> {
  const { req } = incoming
  const { backend } = rules
  const landing: Promise<Upload>[] = []
  const texts = new Map<string, string>()
  /** The parser continues with further files after one was refused. */
  let begun = 0
  // A connection that has already ended emits no further event.
  if (isGone(req)) throw new Aborted()
  // Limits only silence. A form may take as long as it needs while bytes arrive.
  req.setTimeout(maxSilentMilliseconds, () => req.destroy())
  try {
    await takeParts(req, rules, {
      weigh: (refuse) => openFormWeight(incoming.held.begin(refuse), backend.files.bufferedBytes),
      file: (part, weight) => {
        rules.requireFile?.(part.field, begun++)
        const landed = landWeighed(backend, part, rules.files, weight.file())
        landing.push(landed)
        return landed
      },
      text(name, value) {
        requireWanted(rules.texts, name)
        if (texts.has(name)) throw notOnce(name)
        texts.set(name, value)
      },
    })
    return { texts, files: await Promise.all(landing) }
  } catch (error) {
    const settled = await Promise.allSettled(landing)
    const landed = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    // Only logs this error: it is not the reason why the form is refused.
    await removeUploads(backend, rules.files.project, landed).catch((kept) => http.log.failure(incoming.id, kept))
    throw error
  } finally {
    req.setTimeout(0)
  }
}

async function landWeighed(
  backend: Backend,
  part: IncomingFile,
  rules: FileRules,
  { took, landed }: FileWeight,
): Promise<Upload> {
  const take = (bytes: number) => {
    took(bytes)
    rules.room.take(bytes)
  }
  try {
    return await landUpload(backend, part, { ...rules, room: { ...rules.room, take } })
  } finally {
    landed()
  }
}

interface Takers {
  /** @param refuse called if the form has to make room for others */
  weigh(refuse: (error: SvcError) => void): FormWeight
  file(part: IncomingFile, weight: FormWeight): Promise<unknown>
  text(name: string, value: string): void
}

/** Resolves once all parts are taken. Rejects as soon as one is refused, and discards the rest. */
function takeParts(req: IncomingMessage, rules: PartRules, take: Takers): Promise<void> {
  return new Promise((resolve, reject) => {
    let isForm = false
    let reported = 0
    let heads: PartHeads | undefined
    const weight = take.weigh(refuse)
    const source = openFormSource(req)
    const atWork = new Set<Readable>()
    let isRefused = false

    function refuse(error: unknown) {
      isRefused = true
      reject(isGone(req) ? new Aborted() : error)
      weight.end()
      // The parser would buffer all further texts.
      source.unpipe()
      for (const stream of atWork) stream.destroy(error instanceof Error ? error : undefined)
      source.resume()
    }

    const refuseNameless = (field: string) => refuse(new SvcError('INVALID_PATH', `The file "${field}" has no name.`))

    async function takePart({ fieldname: field, originalname: name, mimetype: type, stream }: Express.Multer.File) {
      // The parser still gets the chunk at which the form was evicted, but no later one that would end a file.
      if (isRefused) throw new Aborted()
      requireFieldName(field)
      atWork.add(stream)
      stream.once('close', () => atWork.delete(stream))
      if (rules.texts.includes(field)) take.text(field, await readText(stream))
      // Doesn't destroy the stream when giving up, because multer would report its end as an error of the form.
      else await take.file({ field, name, type, bytes: stream.iterator({ destroyOnReturn: false }) }, weight)
    }

    /** Skips a file without a name, which browsers send for an empty field, but not if it has content. */
    function streamHandler(_req: unknown, parser: NodeJS.WritableStream) {
      isForm = true
      parser.on('file', (field: string, bytes: Readable, { filename = '' }: { filename?: string }) => {
        reported++
        if (filename === '') bytes.once('data', () => refuseNameless(field))
      })
      parser.on('field', (field: string | undefined, value: string, cut: Cut) => {
        const mayBeFile = heads?.isNameless(reported)
        reported++
        // The parser refuses these itself.
        if (field === undefined || cut.nameTruncated || cut.valueTruncated || isRefused) return
        if (mayBeFile && !rules.texts.includes(field)) {
          if (value !== '') refuseNameless(field)
          return
        }
        try {
          take.text(field, value)
        } catch (fault) {
          refuse(fault)
        }
      })
      heads = watchParts(source, parser)
      weighWhileParsed(req, parser, weight)
      // Multer reports these only after the whole form has arrived.
      parser.once('partsLimit', () => refuse(tooManyFiles(rules.maxFiles)))
      parser.once('filesLimit', () => refuse(tooManyFiles(rules.maxFiles)))
      parser.once('error', (fault) => refuse(formFault(fault)))
      source.pipe(parser)
    }

    // The parser treats an empty boundary as a form without parts.
    if (!hasBoundary(req)) return refuse(noBoundary())
    const storage: StorageEngine = {
      _handleFile(_req, file, done) {
        takePart(file).then(
          () => done(null, {}),
          (thrown) => {
            // A truncated form also truncates its files, and their reader fails first. Prefers the error of the form.
            const error = file.stream.errored ? formFault(file.stream.errored) : thrown
            refuse(error)
            done(error)
          },
        )
      },
      _removeFile: (_req, _file, done) => done(null),
    }
    const options: Options & { streamHandler: unknown } = {
      ...{ storage, limits: limitsFor(rules), preservePath: true, defParamCharset: 'utf8' },
      streamHandler,
    }
    const parse = multer(options).any() as Parser
    parse(source, {}, (error) => {
      // Multer ignores a body that doesn't look like a form.
      if (error || !isForm) return refuse(formFault(error))
      try {
        // The parser skips a part with unreadable headers without an error.
        if (heads && heads.begun() > reported) throw formFault(undefined)
        resolve()
      } catch (fault) {
        reject(fault)
      }
    })
  })
}

interface Cut {
  readonly nameTruncated: boolean
  readonly valueTruncated: boolean
}

type Parser = (source: FormSource, res: object, done: (error?: Error | null) => void) => void

/** The limits for one form. The size of a file depends on the project instead. */
function limitsFor({ maxFiles }: PartRules) {
  return {
    fieldNameSize: sizes.maxFieldNameBytes,
    fieldSize: sizes.maxBodyBytes,
    files: maxFiles,
    parts: maxFiles + 10,
    headerPairs: 20,
  }
}

async function readText(stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > sizes.maxBodyBytes) throw textTooLong()
    chunks.push(chunk)
  }
  return decodeUtf8(Buffer.concat(chunks))
}

function isGone(req: IncomingMessage): boolean {
  return req.destroyed && !req.readableEnded
}
