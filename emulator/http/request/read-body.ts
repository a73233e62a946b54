/** Reads the body of a request: JSON, or a form with files. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Json, JsonObject } from '../../../client/protocol/model/json.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { Project } from '../../../client/protocol/model/project.js'
import type { Backend } from '../../core/context.js'
import { type UploadRoom, unlimitedRoom } from '../../core/files/upload-room.js'
import { noUploads, openUploads, type Uploads } from '../../core/files/uploads.js'
import type { HttpContext } from '../http-context.js'
import type { FileForm, Route } from '../route.js'
import type { Incoming } from '../stages.js'
import type { Placing } from './issue-places.js'
import { isMultipart, readMultipart } from './multipart/read-multipart.js'
import { readForm, readJsonObject, requirePlainEncoding } from './read-json.js'

/** A body that has fully arrived. */
export interface Body {
  readonly uploads: Uploads
  /** Whether it takes long to process. */
  readonly isLarge: boolean
  /** Parses the body as JSON. */
  toJson(): JsonObject | Promise<JsonObject>
  /** Maps places in that JSON to places in the request body. */
  places(inJson: Placing): Placing
}

/** The destination for the files of a form. Routes outside projects take no files. */
export interface Landing {
  readonly backend: Backend
  readonly project: Project
  /** Omitted if files are not limited. */
  readonly room?: UploadRoom | undefined
}

export async function readBody(http: HttpContext, route: Route, incoming: Incoming, landing?: Landing): Promise<Body> {
  const { form } = route
  if (landing && form && isMultipart(incoming.req)) return readParts(http, { route, form, incoming, landing })
  if (form?.isOnly) throw new SvcError('UNSUPPORTED_MEDIA_TYPE', 'Send a form, as "multipart/form-data".')
  const { json, isLarge } = await readJson(route, incoming)
  return { uploads: noUploads, isLarge, toJson: () => json, places: (inJson) => inJson }
}

async function readJson({ body, needs }: Route, incoming: Incoming) {
  if (!body) return { json: {}, isLarge: false }
  if (body.encoding === 'form') return { json: await readForm(incoming), isLarge: false }
  const isForAnyone = needs === 'public' || needs === 'nothing'
  return readJsonObject(incoming, { batch: body.batch, isForAnyone })
}

/** Returns a value that differs between different bodies, files included. */
export function fingerprint(json: JsonObject, { files }: Uploads): Json {
  return files.length === 0 ? json : [json, files.map(({ field, name, digest = '' }) => [field, name, digest])]
}

interface FormRequest {
  readonly route: Route
  readonly form: FileForm
  readonly incoming: Incoming
  readonly landing: Landing
}

async function readParts(http: HttpContext, { route, form, incoming, landing }: FormRequest): Promise<Body> {
  const { req } = incoming
  const { isCreating = false } = route
  const { backend, project, room = unlimitedRoom } = landing
  requirePlainEncoding(req)
  const isHashed = form.isHashed || (isCreating && req.headers['idempotency-key'] !== undefined)
  const { texts, files } = await readMultipart(http, incoming, {
    backend,
    texts: form.texts,
    files: { ...form.fileRules(project.settings), project: project.id, isHashed, room },
    maxFiles: form.maxFiles ?? sizes.maxFilesPerRequest,
    requireFile: form.requireFile,
  })
  const ofFiles = new Set(files.map(({ field }) => field))
  const places = (inJson: Placing): Placing => {
    if (!form.isBodyInData) return inJson
    return (path) => (ofFiles.has(String(path[0])) ? path : ['data', ...inJson(path)])
  }
  return { uploads: openUploads(backend, project.id, files), isLarge: false, toJson: () => form.toBody(texts), places }
}
