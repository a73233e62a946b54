/** The operations of `/openapi.json`, as a fuzzer needs them. */
import { send } from '../../fixtures/requests/http.js'
import type { Schema } from './schemas.js'

export interface Parameter {
  readonly name: string
  readonly schema: Schema
}

export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly needs: 'control' | 'user' | 'key'
  readonly query: readonly Parameter[]
  readonly json: Schema | undefined
  readonly form: boolean
}

interface Described {
  readonly operationId: string
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly parameters: readonly (Parameter & { readonly in: string })[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

/** Operations that would break the others: injected faults, a moved clock, a wait of a minute. */
const leftOut = [/^control\.faults\.add/, /^control\.clock\.change$/, /^control\.mail\.wait$/]

export async function operationsOf(url: string): Promise<Operation[]> {
  const { body } = await send(url, { method: 'GET', path: '/openapi.json' })
  const { paths } = body as { paths: Record<string, Record<string, Described>> }
  return Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => asOperation(path, method, described)),
    )
    .filter(({ id }) => !leftOut.some((pattern) => pattern.test(id)))
}

function asOperation(path: string, method: string, described: Described): Operation {
  const { operationId: id, security, parameters, requestBody } = described
  const content = requestBody?.content ?? {}
  const has = (name: string) => security.some((one) => name in one)
  return {
    id,
    method,
    path,
    needs: has('controlToken') ? 'control' : has('apiKey') || security.length === 0 ? 'key' : 'user',
    query: parameters.filter((one) => one.in === 'query'),
    json: content['application/json']?.schema,
    form: 'multipart/form-data' in content,
  }
}
