import { z } from 'zod'
import { anyFields } from '../../../client/protocol/control/operation.js'
import { stepsPart } from '../../../client/protocol/control/seeds.js'
import { placed, SvcError } from '../../../client/protocol/model/errors.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { SeedStep } from '../../../client/protocol/model/seed/steps.js'
import type { Backend } from '../../core/context.js'
import type { Uploads } from '../../core/files/uploads.js'
import { requireProject } from '../../core/projects/require-project.js'
import { applySeed } from '../../core/seeds/apply-seed.js'
import { readSeeded } from '../../core/seeds/read-seeded.js'
import { collectionSettings } from '../request/collection-settings.js'
import { parseBody } from '../request/read-json.js'
import type { ControlHandlers } from './control-routes.js'

export const seeds: ControlHandlers['seeds'] = {
  async apply(backend, { params, request, uploads }) {
    const project = await requireProject(backend, params.project)
    const steps = () => readSteps(backend, uploads)
    return applySeed({ backend, project }, { mode: request.mode, steps, uploads })
  },
  get: async (backend, { params }) => readSeeded({ backend, project: await requireProject(backend, params.project) }),
}

const names = z.array(z.string()).optional()

const step = z.discriminatedUnion('step', [
  z.strictObject({
    step: z.literal('file'),
    name: z.string(),
    part: z.string(),
    path: z.string(),
    isOwned: z.boolean().optional(),
  }),
  z.strictObject({
    step: z.literal('user'),
    name: z.string(),
    email: z.string(),
    password: z.string().optional(),
    passwordHash: z.string().optional(),
    data: anyFields.optional(),
    roles: z.array(z.string().min(1)).optional(),
    verified: z.boolean().optional(),
    twoFactor: z.union([z.string(), z.boolean()]).optional(),
    identity: z.strictObject({ provider: z.string(), subject: z.string() }).optional(),
    isSame: z.boolean().optional(),
    files: names,
  }),
  z.strictObject({
    step: z.literal('collection'),
    name: z.string(),
    ...collectionSettings,
    key: z.string().optional(),
    isKeyGuessed: z.boolean().optional(),
    isAnswered: z.boolean().optional(),
  }),
  z.strictObject({
    step: z.literal('documents'),
    documents: z.array(
      z.strictObject({
        data: anyFields,
        name: z.string().optional(),
        hasReferences: z.boolean().optional(),
        isReferred: z.boolean().optional(),
        isSame: z.boolean().optional(),
        id: z.string().optional(),
        files: names,
      }),
    ),
  }),
]) satisfies z.ZodType<SeedStep>

/** The steps of the form, each of which goes through the gate of all JSON; an issue begins with the number of its step. */
async function* readSteps(backend: Backend, { files }: Uploads): AsyncGenerator<SeedStep> {
  const sent = files.find(({ field }) => field === stepsPart)
  const bytes = sent && (await backend.files.read(sent.id))
  if (!bytes) throw new SvcError('INVALID_BODY', `The form has no part "${stepsPart}".`)
  let number = 0
  for await (const line of linesOf(bytes)) {
    const at = number++
    yield await readStep(line).catch((error) => {
      throw placed(error, (path) => [at, ...path])
    })
  }
}

async function readStep(line: Buffer): Promise<SeedStep> {
  const { success, data, error } = step.safeParse(await parseBody(line, { batch: 'documents' }))
  if (success) return data
  const issues = error.issues.map(({ path, message, code }) => ({ path: path.map(pathPart), message, type: code }))
  throw new SvcError('VALIDATION_ERROR', `${issues[0]?.path.join('.')} ${issues[0]?.message}.`, issues)
}

function pathPart(part: PropertyKey): string | number {
  return typeof part === 'number' ? part : String(part)
}

const newline = 0x0a

/** @throws {SvcError} `PAYLOAD_TOO_LARGE` for a line that is longer than a body may be */
async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let size = 0
  for await (const piece of bytes) {
    let start = 0
    for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, start)) {
      yield Buffer.concat([...parts, piece.subarray(start, end)])
      parts = []
      size = 0
      start = end + 1
    }
    parts.push(piece.subarray(start))
    size += piece.length - start
    if (size > sizes.maxBodyBytes) throw new SvcError('PAYLOAD_TOO_LARGE', 'A step of a seed is too long.')
  }
  if (size > 0) yield Buffer.concat(parts)
}
