/** A service whose storage fails on demand, and a project of its own for each run of a scenario. */
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Project } from '../../../client/protocol/model/project.js'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { type Form, fileOf, formOf, textOf } from '../../fixtures/requests/form.js'
import { type Answer, send } from '../../fixtures/requests/http.js'

export interface World {
  readonly service: Service
  readonly project: Project['id']
  /** Asks with the secret key, or with the control token. */
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** The same; anything but a success is a failure of the test. */
  do(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Fields>
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into by tests.
export type Fields = Record<string, any>

export interface Place {
  readonly dir: string
  readonly databaseUrl: string | undefined
}

export function openIn({ dir, databaseUrl }: Place): Promise<Service> {
  return openService({ ...defaultConfig, dir, databaseUrl, requestLog: false })
}

export async function aWorld(service: Service): Promise<World> {
  const { url, controlToken } = service
  const control = { 'svc-control-token': controlToken }
  const json = { 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'sweep' })
  const made = await send(url, { method: 'POST', path: '/_svc/api/projects', headers: { ...control, ...json }, body })
  expect(made.status, made.text).toBe(201)
  const { id, secretKey } = made.body as Fields
  const key = { 'x-api-key': secretKey }
  const ask: World['ask'] = (method, path, body, headers = {}) => {
    const who = path.startsWith('/_svc/') ? control : key
    if (isForm(body))
      return send(url, { method, path, headers: { ...who, ...body.headers, ...headers }, body: body.body })
    const text = body === undefined ? undefined : JSON.stringify(body)
    return send(url, { method, path, headers: { ...who, ...(text === undefined ? {} : json), ...headers }, body: text })
  }
  return {
    service,
    project: id,
    ask,
    async do(method, path, body, headers) {
      const answer = await ask(method, path, body, headers)
      expect(answer.status, `${method} ${path} ${answer.text.slice(0, 300)}`).toBeLessThan(300)
      return answer.body as Fields
    },
  }
}

function isForm(body: unknown): body is Form {
  return typeof body === 'object' && body !== null && 'body' in body && Buffer.isBuffer(body.body)
}

/** A form with a file under `cover`, and fields. */
export const aCover = (content: string, fields: object = {}) =>
  formOf(textOf('data', fields), fileOf('cover', content, 'cover.txt'))

export const aPerson = () => ({ email: `${randomUUID()}@example.com`, password: 'Correct4Horse' })
