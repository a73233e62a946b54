/** Describes the service as OpenAPI 3.1, from the same records that Express mounts. */
import { statuses } from '../../../client/protocol/model/errors.js'
import type { WritableObject } from '../../../client/protocol/model/json.js'
import { axes, axisNames, type Dialect, listForms } from '../../../client/protocol/wire/axes.js'
import type { JsonSchema } from '../../../client/protocol/wire/codec.js'
import { dialects, formatDialect } from '../../../client/protocol/wire/dialects.js'
import { openPauses } from '../../core/pauses.js'
import { replySchema, replyStatus, replyType } from '../reply/reply.js'
import { isBatch, isInDialect, isOfProject, type QueryParameter, type Route } from '../route.js'
import { recordSchemas, withNames } from './schemas.js'

type Operation = { readonly [part: string]: unknown }

/**
 * Writes the document for one dialect, a few routes per turn of the event loop. If a path has two meanings, uses that
 * dialect's.
 */
export async function describeRoutes(
  routes: readonly Route[],
  dialect: Dialect,
  version: string,
): Promise<WritableObject> {
  const paths: Record<string, Record<string, Operation>> = {}
  const pauses = openPauses()
  for (const route of routes) {
    if (!isInDialect(route, dialect)) continue
    const { paths: places, method, id } = route
    const served = [...(places.any ?? []), ...(places[dialect.paths] ?? [])]
    served.forEach((path, at) => {
      const name = openPath(path)
      const operation = describeRoute(route, path, dialect)
      const alias = { operationId: `${id}.${at + 1}`, description: `The same as \`${id}\`, at another path.` }
      paths[name] = { ...paths[name], [method]: at === 0 ? operation : { ...operation, ...alias } }
    })
    await pauses.after(workOfARoute)
  }
  const described = {
    openapi: '3.1.1',
    info: {
      title: 'svc',
      version,
      description: `Collections of JSON documents, in the dialect "${formatDialect(dialect)}".`,
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      responses: Object.fromEntries([...failures.keys()].map((status) => [failureName(status), failure(status)])),
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key or the token of a user.' },
        controlToken: { type: 'apiKey', in: 'header', name: 'svc-control-token' },
      },
    },
  }
  return withNames(described, recordSchemas(dialect)) as WritableObject
}

/** The cost of describing a route for the first time, in parsed bytes that take as long. */
const workOfARoute = 32 * 1024

function describeRoute(route: Route, path: string, dialect: Dialect): Operation {
  const { id, summary, needs, body, reply, status = 200 } = route
  const answer = {
    description: summary,
    headers: answerHeaders(route, dialect),
    content: { [replyType(reply)]: { schema: route.answerSchema?.() ?? replySchema(reply, dialect) } },
  }
  return {
    operationId: id,
    summary,
    tags: [route.id.split('.')[0]],
    security: securities[needs],
    parameters: [
      ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => pathParameter(name ?? '')),
      ...(route.query?.parameters(dialect) ?? []).map(queryParameter),
      ...listHeaders(route).map(headerParameter),
    ],
    ...(body ? { requestBody: { required: true, content: bodyTypes(route, body.schema(dialect)) } } : {}),
    responses: {
      [replyStatus(reply, dialect, status)]: answer,
      ...(reply === 'savedDocument'
        ? { 200: { ...answer, description: 'The document existed and was updated.' } }
        : {}),
      ...(isBatch(route) ? { 204: { description: 'The answer to `prefer: return=minimal`.' } } : {}),
      ...(hasVersions(route) ? { 304: { description: 'You already have this version.' } } : {}),
      ...Object.fromEntries(
        listFailures(route).map((status) => [status, { $ref: `#/components/responses/${failureName(status)}` }]),
      ),
    },
  }
}

function bodyTypes({ body, form }: Route, schema: JsonSchema): JsonSchema {
  const type = body?.encoding === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
  return {
    ...(form?.isOnly ? {} : { [type]: { schema } }),
    ...(form ? { 'multipart/form-data': { schema: form.schema } } : {}),
  }
}

const securities: { readonly [Need in Route['needs']]: readonly JsonSchema[] } = {
  caller: [{ apiKey: [] }, { bearer: [] }],
  key: [{ apiKey: [] }, { bearer: [] }],
  user: [{ bearer: [] }],
  public: [],
  control: [{ controlToken: [] }],
  nothing: [],
}

/** Converts `/collections/:collection` to OpenAPI's notation. */
function openPath(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}')
}

function pathParameter(name: string): Operation {
  return { name, in: 'path', required: true, schema: { type: 'string' } }
}

function queryParameter(parameter: QueryParameter): Operation {
  return { in: 'query', ...parameter }
}

function dialectHeader() {
  const choices = axisNames().map((axis) => `${axis} (${listForms(axis).join(', ')})`)
  const description =
    `The dialect of the answer: a name (${Object.keys(dialects).join(', ')}), exceptions such as \`document=flat\`, or both. ` +
    `Axes and their forms: ${choices.join('; ')}.`
  return ['svc-dialect', description] as const
}

const guardHeader = ['if-match', 'The `etag` of the version that the document must have.'] as const
const etagHeader = [
  'if-none-match',
  'The `etag` of the version you have. The answer is 304 if it is the newest.',
] as const
const onceHeader = [
  'idempotency-key',
  'Repeating a key within 24 hours creates nothing and returns the first answer.',
] as const

const preferHeader = ['prefer', '`return=minimal` runs the request without returning its records.'] as const

function listHeaders(route: Route): (readonly [name: string, description: string])[] {
  return [
    ...(isOfProject(route.needs) || route.needs === 'public' ? [dialectHeader()] : []),
    ...(route.isGuarded ? [guardHeader] : []),
    ...(hasVersions(route) ? [etagHeader] : []),
    ...(route.isCreating ? [onceHeader] : []),
    ...(isBatch(route) ? [preferHeader] : []),
  ]
}

function headerParameter([name, description]: readonly [string, string]): Operation {
  return { name, in: 'header', description, schema: { type: 'string' } }
}

function answerHeaders({ reply }: Route, dialect: Dialect): Operation {
  const header = (description: string) => ({ description, schema: { type: 'string' } })
  return {
    'x-request-id': header('Identifies this request in the log.'),
    ...(versioned.has(reply) ? { etag: header(`The version of the ${reply}.`) } : {}),
    ...(reply === 'page' ? { 'svc-seq': header('The number of the last change that the page includes.') } : {}),
    ...(pages.has(reply)
      ? Object.fromEntries(
          Object.entries(axes.list[dialect.list].headers).map(([name, words]) => [name, header(words)]),
        )
      : {}),
  }
}

/** Replies that are a page of a list. */
const pages = new Set<Route['reply']>(['page', 'users', 'files'])

/** Replies that carry a version. */
const versioned = new Set<Route['reply']>(['document', 'savedDocument', 'description'])

function hasVersions({ method, reply }: Route): boolean {
  return method === 'get' && versioned.has(reply)
}

/** Statuses of failures, with the codes that use them. */
const failures = new Map<string, string[]>()
for (const [code, status] of Object.entries(statuses)) {
  failures.set(String(status), [...(failures.get(String(status)) ?? []), code])
}

/** Replies of routes that can conflict with an existing name, address or value, or that delete what others need. */
const clashing = new Set<Route['reply']>([
  ...(['collection', 'signUp', 'login', 'user'] as const),
  ...(['removedFile', 'removedDocument', 'removedCollection', 'allRemoved'] as const),
])
const clashingWrites = new Set<Route['reply']>(['document', 'savedDocument', 'documents', 'updatedDocuments'])

function mayClash({ reply, method }: Route): boolean {
  return clashing.has(reply) || (method !== 'get' && clashingWrites.has(reply))
}

function listFailures(route: Route): string[] {
  const namesSomething = Object.values(route.paths).some((paths) => paths.some((path) => path.includes(':')))
  if (route.needs === 'nothing') {
    return ['400', '403', ...(namesSomething ? ['404'] : []), ...(route.isExpensive ? ['429'] : []), '500', '503']
  }
  // Requests of the owner can fail in many ways, for example a snapshot name that is taken or an invalid file.
  if (route.needs === 'control') return ['400', '401', '403', '404', '409', '413', '415', '422', '500', '503']
  return [
    '400',
    '401',
    '403',
    ...(isOfProject(route.needs) || namesSomething ? ['404'] : []),
    ...(mayClash(route) ? ['409'] : []),
    ...(route.isGuarded ? ['412'] : []),
    ...(route.body ? ['413', '415'] : []),
    ...(route.body || isOfProject(route.needs) ? ['422'] : []),
    '429',
    '500',
    '503',
  ]
}

function failureName(status: string): string {
  return `Failure${status}`
}

function failure(status: string): Operation {
  return {
    description: `One of: ${(failures.get(status) ?? []).join(', ')}.`,
    headers: { 'svc-error-code': { description: 'The stable code of the failure.', schema: { type: 'string' } } },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  }
}
