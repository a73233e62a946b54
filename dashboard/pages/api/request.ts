/** Builds the request from the form, as a curl command, and as a `svc api` command. */

import { isObject, parseJson } from '../../../client/protocol/model/json.js'
import { formatCurl } from '../../../client/snippets/curl.js'
import { shellWord } from '../../../client/snippets/shell.js'
import { wordsIn } from '../../parts/words.js'
import type { Operation, Parameter } from './description.js'
import { isForm, type RequestForm } from './request-form.js'

export const callers = {
  public: 'the public key',
  secret: 'the secret key',
  user: 'the user you act as',
  nobody: 'no key',
  control: 'the control token',
} as const

export type Caller = keyof typeof callers

export interface Request {
  readonly method: string
  /** Includes the query string. */
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string | FormData | URLSearchParams | undefined
}

function readParameter(typed: RequestForm, { in: location, name }: Parameter): string {
  return typed.values[`${location} ${name}`] ?? ''
}

/** Returns the names of path parameters without a value. */
export function findMissing({ parameters }: Operation, typed: RequestForm): string[] {
  return parameters
    .filter((each) => each.in === 'path' && typed.path.includes(`{${each.name}}`) && readParameter(typed, each) === '')
    .map(({ name }) => name)
}

/** Builds the request without credentials. */
export function buildRequest(operation: Operation, typed: RequestForm, dialect: string): Request {
  const given = operation.parameters.filter((each) => readParameter(typed, each) !== '')
  let { path } = typed
  for (const each of given) {
    if (each.in === 'path') path = path.replace(`{${each.name}}`, encodeURIComponent(readParameter(typed, each)))
  }
  const query = given
    .filter((each) => each.in === 'query')
    .flatMap((each) => encodeQuery(each, readParameter(typed, each)))
  const headers: Record<string, string> = {}
  if (takesDialect(operation)) headers['svc-dialect'] = dialect
  for (const each of given) if (each.in === 'header') headers[each.name] = readParameter(typed, each)
  const body = buildBody(typed)
  // The browser sets the content type of forms, with the boundary.
  if (typeof body === 'string') headers['content-type'] = typed.type
  return { method: operation.method, path: query.length === 0 ? path : `${path}?${query.join('&')}`, headers, body }
}

export function takesDialect({ parameters }: Operation): boolean {
  return parameters.some(({ name }) => name === 'svc-dialect')
}

/** Parameters with free names, such as filters, are typed as a query string. */
function encodeQuery({ name, schema }: Parameter, text: string): string[] {
  if (schema.type === 'object') return [text.replace(/^[?&]/, '')]
  const values = schema.type === 'array' ? wordsIn(text) : [text]
  return values.map((each) => `${encodeURIComponent(name)}=${encodeURIComponent(each)}`)
}

function buildBody({ type, text, form }: RequestForm): Request['body'] {
  if (type === '') return undefined
  if (!isForm(type)) return text
  const entries = Object.entries(form).filter(([, value]) => value !== '')
  if (type === 'application/x-www-form-urlencoded') {
    return new URLSearchParams(entries.map(([name, value]) => [name, typeof value === 'string' ? value : value.name]))
  }
  const data = new FormData()
  for (const [name, value] of entries) data.append(name, value)
  return data
}

/** Returns the headers of a caller, with secrets masked. */
const markedHeaders = (publicKey: string): { readonly [Name in Caller]: Readonly<Record<string, string>> } => ({
  public: { 'x-api-key': publicKey },
  secret: { 'x-api-key': '[masked]' },
  user: { authorization: 'Bearer [masked]' },
  nobody: {},
  control: {},
})

export function formatRequestCurl(
  { method, path, headers, body }: Request,
  caller: Caller,
  publicKey: string,
  url: string,
): string {
  const text = typeof body === 'string' ? body : body instanceof URLSearchParams ? String(body) : null
  const shown = { ...markedHeaders(publicKey)[caller], ...headers }
  const record = { type: null, bytes: null, text, isCut: false, isMasked: false, leftOut: null }
  const parts =
    body instanceof FormData ? [...body].map(([name, value]) => `-F ${shellWord(formatPart(name, value))}`) : []
  const token = caller === 'control' ? ['-H "svc-control-token: $SVC_CONTROL_TOKEN"'] : []
  return [formatCurl({ method, path, request: { headers: shown, body: record } }, url), ...token, ...parts].join(
    ' \\\n  ',
  )
}

function formatPart(name: string, value: FormDataEntryValue): string {
  return `${name}=${typeof value === 'string' ? value : `@${value.name}`}`
}

/** Formats the request as a `svc api` command, with body fields as text or JSON. */
export function formatCommand({ method, path, headers, body }: Request): string {
  const fields = typeof body === 'string' ? parseJson(body) : undefined
  const fieldArguments = isObject(fields)
    ? Object.entries(fields).map(([name, value]) =>
        shellWord(typeof value === 'string' ? `${name}=${value}` : `${name}:=${JSON.stringify(value)}`),
      )
    : []
  const file = body !== undefined && !isObject(fields) ? ['-f body.json'] : []
  const dialect = headers['svc-dialect']
  return [
    ...['svc api', method, shellWord(path)],
    ...fieldArguments,
    ...file,
    ...(dialect === undefined ? [] : [`-H ${shellWord(`svc-dialect: ${dialect}`)}`]),
  ].join(' ')
}
