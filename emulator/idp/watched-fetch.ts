/** Records requests to a provider as hops of a login: the code exchange and the profile, not keys or metadata. */
import { isObject, type Json, type JsonObject } from '../../client/protocol/model/json.js'
import type { BoundedFetch } from './bounded-fetch.js'
import type { LoginFlows } from './provider.js'

export function watchedFetch(fetch: BoundedFetch, flows: LoginFlows | undefined, state: string): BoundedFetch {
  if (!flows) return fetch
  return async (url, options) => {
    const { method = 'GET', body } = options
    const authorization = new Headers((options as RequestInit).headers).get('authorization')
    const isProfile = method === 'GET' && authorization !== null
    if (method !== 'POST' && !isProfile) return fetch(url, options)
    const end = flows.begin(state, {
      ...{ kind: isProfile ? 'profile' : 'token', from: 'service', to: 'provider', method, url },
      request: listFields(authorization, body),
    })
    try {
      const response = await fetch(url, options)
      const text = await response.text()
      end({ status: response.status, ...readAnswer(text, isProfile) })
      return new Response(text === '' ? null : text, response)
    } catch (error) {
      end({ status: null, answer: [['error', isTimeout(error) ? 'timeout' : 'connection lost']] })
      throw error
    }
  }
}

/** Lists the credentials and the fields of a form that a request sends. */
function listFields(authorization: string | null, body: unknown): (readonly [string, string])[] {
  const form = body instanceof URLSearchParams ? [...body] : []
  return authorization === null ? form : [['authorization', authorization], ...form]
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}

function readAnswer(text: string, isProfile: boolean): { answer: (readonly [string, string])[]; claims?: JsonObject } {
  const body = parsed(text)
  if (!isObject(body)) return { answer: [] }
  if (isProfile && body.error === undefined) return { answer: [], claims: body }
  const answer = Object.entries(body).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  )
  const claims = decodeClaims(body.id_token)
  return claims ? { answer, claims } : { answer }
}

/** Decodes the claims of an ID token without checking it. */
function decodeClaims(token: Json | undefined): JsonObject | undefined {
  if (typeof token !== 'string') return undefined
  const claims = parsed(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return isObject(claims) ? claims : undefined
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
