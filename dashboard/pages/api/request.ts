/** The request that was typed: as it is sent, as a curl command, and on the command line. */

import { isObject, parseJson } from '../../../client/protocol/model/json.js'
import { curlOf } from '../../../client/snippets/curl.js'
import { shellWord } from '../../../client/snippets/shell.js'
import { wordsIn } from '../../parts/words.js'
import type { Operation, Parameter } from './description.js'
import { isForm, type Typed } from './typed.js'

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
  /** With its query. */
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string | FormData | URLSearchParams | undefined
}

/** What stands for a parameter where something is typed for it. */
function typedFor(typed: Typed, { in: place, name }: Parameter): string {
  return typed.values[`${place} ${name}`] ?? ''
}

/** The names of parts of the path that nothing stands for yet. */
export function missingIn({ parameters }: Operation, typed: Typed): string[] {
  return parameters
    .filter((each) => each.in === 'path' && typed.path.includes(`{${each.name}}`) && typedFor(typed, each) === '')
    .map(({ name }) => name)
}

/** Without what says who asks. */
export function requestOf(operation: Operation, typed: Typed, dialect: string): Request {
  const given = operation.parameters.filter((each) => typedFor(typed, each) !== '')
  let { path } = typed
  for (const each of given) {
    if (each.in === 'path') path = path.replace(`{${each.name}}`, encodeURIComponent(typedFor(typed, each)))
  }
  const query = given.filter((each) => each.in === 'query').flatMap((each) => queryOf(each, typedFor(typed, each)))
  const headers: Record<string, string> = {}
  if (takesDialect(operation)) headers['svc-dialect'] = dialect
  for (const each of given) if (each.in === 'header') headers[each.name] = typedFor(typed, each)
  const body = bodyOf(typed)
  // The boundary of a form's parts is the browser's to choose.
  if (typeof body === 'string') headers['content-type'] = typed.type
  return { method: operation.method, path: query.length === 0 ? path : `${path}?${query.join('&')}`, headers, body }
}

export function takesDialect({ parameters }: Operation): boolean {
  return parameters.some(({ name }) => name === 'svc-dialect')
}

/** A parameter that takes any name, as filters do, is typed as the query string that it is. */
function queryOf({ name, schema }: Parameter, text: string): string[] {
  if (schema.type === 'object') return [text.replace(/^[?&]/, '')]
  const values = schema.type === 'array' ? wordsIn(text) : [text]
  return values.map((each) => `${encodeURIComponent(name)}=${encodeURIComponent(each)}`)
}

function bodyOf({ type, text, form }: Typed): Request['body'] {
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

/** Headers of a caller, with a mark in the place of what is secret. */
const markedHeaders = (publicKey: string): { readonly [Name in Caller]: Readonly<Record<string, string>> } => ({
  public: { 'x-api-key': publicKey },
  secret: { 'x-api-key': '[masked]' },
  user: { authorization: 'Bearer [masked]' },
  nobody: {},
  control: {},
})

export function curlWords({ method, path, headers, body }: Request, caller: Caller, publicKey: string, url: string) {
  const text = typeof body === 'string' ? body : body instanceof URLSearchParams ? String(body) : null
  const shown = { ...markedHeaders(publicKey)[caller], ...headers }
  const record = { type: null, bytes: null, text, isCut: false, isMasked: false, leftOut: null }
  const parts =
    body instanceof FormData ? [...body].map(([name, value]) => `-F ${shellWord(partWords(name, value))}`) : []
  const token = caller === 'control' ? ['-H "svc-control-token: $SVC_CONTROL_TOKEN"'] : []
  return [curlOf({ method, path, request: { headers: shown, body: record } }, url), ...token, ...parts].join(' \\\n  ')
}

function partWords(name: string, value: FormDataEntryValue): string {
  return `${name}=${typeof value === 'string' ? value : `@${value.name}`}`
}

/** As `svc api` takes it: fields of the body, each as text or as JSON. */
export function commandWords({ method, path, headers, body }: Request): string {
  const fields = typeof body === 'string' ? parseJson(body) : undefined
  const words = isObject(fields)
    ? Object.entries(fields).map(([name, value]) =>
        shellWord(typeof value === 'string' ? `${name}=${value}` : `${name}:=${JSON.stringify(value)}`),
      )
    : []
  const file = body !== undefined && !isObject(fields) ? ['-f body.json'] : []
  const dialect = headers['svc-dialect']
  return [
    ...['svc api', method, shellWord(path)],
    ...words,
    ...file,
    ...(dialect === undefined ? [] : [`-H ${shellWord(`svc-dialect: ${dialect}`)}`]),
  ].join(' ')
}
