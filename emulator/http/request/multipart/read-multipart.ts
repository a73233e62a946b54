/**
 * A form from its parts to a JSON body and files that have landed, with every limit on the way. Files go to the store as
 * they come, never whole into memory. Contract 3.4.
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
import type { Exchange, HttpContext } from '../../exchange.js'
import { Aborted, decodeUtf8, holdFor } from '../read-json.js'
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

/** A sender who says nothing for as long has gone. */
const mostSilentMilliseconds = 60_000

/** Which parts a form may have. */
export interface PartRules {
  /** Where its files land. */
  readonly backend: Backend
  /** Parts that are text; every other part is a file. */
  readonly texts: readonly string[]
  readonly files: FileRules
  readonly mostFiles: number
  /** Looks at a file, and at how many came before it, before its bytes land. @throws {SvcError} */
  readonly requireFile?: ((field: string, others: number) => void) | undefined
}

export interface Parts {
  /** The texts that were sent, by the names of their parts. */
  readonly texts: ReadonlyMap<string, string>
  readonly files: readonly Upload[]
}

/** Whether a request brings a form. */
export function isMultipart({ headers }: IncomingMessage): boolean {
  return /^multipart\/form-data\s*(?:;|$)/i.test(headers['content-type'] ?? '')
}

function hasBoundary({ headers }: IncomingMessage): boolean {
  return /;\s*boundary=\s*(?:"[^"]|[^\s;"])/i.test(headers['content-type'] ?? '')
}

/**
 * @throws {SvcError} `INVALID_BODY` for what cannot be read as a form, `VALIDATION_ERROR` for a text that is not asked for,
 * `FILE_TOO_LARGE`, `STORAGE_LIMIT`, `INVALID_PATH`. No file is left then, unless the store fails; it is removed later.
 */
export async function readMultipart(http: HttpContext, exchange: Exchange, rules: PartRules): Promise<Parts> {
  const { req } = exchange
  const { backend } = rules
  const landing: Promise<Upload>[] = []
  const texts = new Map<string, string>()
  /** The parser goes on to further files behind one that was refused. */
  let begun = 0
  // A connection that has ended says so no second time.
  if (isGone(req)) throw new Aborted()
  // However long it takes, as long as something comes in.
  req.setTimeout(mostSilentMilliseconds, () => req.destroy())
  try {
    http.chunks.watch(req)
    await takeParts(req, rules, {
      weigh: (refuse) => openFormWeight(holdFor(http, exchange, refuse), backend.files.bufferedBytes),
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
    // What keeps them is not why the form is refused.
    await removeUploads(backend, rules.files.project, landed).catch((kept) => http.log.failure(exchange.id, kept))
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
  /** @param refuse where the form has to give way to others */
  weigh(refuse: (error: SvcError) => void): FormWeight
  file(part: IncomingFile, weight: FormWeight): Promise<unknown>
  text(name: string, value: string): void
}

/** Resolves when all parts are taken, and rejects as soon as one cannot be; what still comes in is thrown away. */
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
      // The parser would keep all further texts.
      source.unpipe()
      for (const stream of atWork) stream.destroy(error instanceof Error ? error : undefined)
      source.resume()
    }

    const refuseNameless = (field: string) => refuse(new SvcError('INVALID_PATH', `The file "${field}" has no name.`))

    async function takePart({ fieldname: field, originalname: name, mimetype: type, stream }: Express.Multer.File) {
      // The parser still gets the chunk with which the form gave way, and nothing behind it that would end a file.
      if (isRefused) throw new Aborted()
      requireFieldName(field)
      atWork.add(stream)
      stream.once('close', () => atWork.delete(stream))
      if (rules.texts.includes(field)) take.text(field, await readText(stream))
      // Left alone when it is given up, since multer would take its end for a fault of the form.
      else await take.file({ field, name, type, bytes: stream.iterator({ destroyOnReturn: false }) }, weight)
    }

    /** A file without a name is passed over, as browsers send one for an empty field; but not if it holds anything. */
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
      // Multer reports these only once the whole form has come in.
      parser.once('partsLimit', () => refuse(tooManyFiles(rules.mostFiles)))
      parser.once('filesLimit', () => refuse(tooManyFiles(rules.mostFiles)))
      parser.once('error', (fault) => refuse(formFault(fault)))
      source.pipe(parser)
    }

    // Of an empty boundary the parser makes a form without parts.
    if (!hasBoundary(req)) return refuse(noBoundary())
    const storage: StorageEngine = {
      _handleFile(_req, file, done) {
        takePart(file).then(
          () => done(null, {}),
          (thrown) => {
            // A form that ends too early ends the bytes of each of its files; their reader meets that first.
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
      // What does not look like a form to multer, it leaves alone.
      if (error || !isForm) return refuse(formFault(error))
      try {
        // The parser says nothing of a part whose head it cannot read.
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

/** How much of anything one form may have; how large a file may be depends on the project. */
function limitsFor({ mostFiles }: PartRules) {
  return {
    fieldNameSize: sizes.maxFieldNameBytes,
    fieldSize: sizes.maxBodyBytes,
    files: mostFiles,
    parts: mostFiles + 10,
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
