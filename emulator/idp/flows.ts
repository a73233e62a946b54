/**
 * Keeps the last logins through providers in memory, hop by hop. Secrets are masked before they are kept. Contract 11.
 */
import { createHash } from 'node:crypto'
import { isObject, type Json } from '../../client/protocol/model/json.js'
import type { LoginFlow, LoginHop } from '../../client/protocol/model/provider-login.js'
import type { AnsweredHop, LoginFlows } from './provider.js'

const maxFlows = 20
/** Leaves room for reloads: each flow has its own limit. */
const maxHops = 24
const maxCharacters = 300
const maxNames = 40

/** Lists the parameters that hold no secrets. All others are masked, whatever they are called. */
const plainNames = new Set(
  `client_id redirect_uri response_type response_mode scope code_challenge_method grant_type token_type expires_in iss prompt
  error error_description login_hint account fault keep returnTo completeUrl provider project svc-error location page`.split(
    /\s+/,
  ),
)

/** Shows every claim, except those whose name says that they are secrets. */
const secretClaim =
  /pass|secret|token|credential|cookie|otp|(?:api|private|access)[-_]?key|^(?:code|session|sid|nonce)$/i

interface KeptFlow {
  readonly state: string
  readonly flow: { -readonly [Name in keyof LoginFlow]: LoginFlow[Name] } & { hops: LoginHop[] }
}

export function openLoginFlows(): LoginFlows {
  const kept: KeptFlow[] = []
  let count = 0

  return {
    open(state, { project, provider }) {
      count += 1
      const flow = { id: String(count), at: new Date().toISOString(), project, provider, outcome: null, hops: [] }
      kept.unshift({ state: hashState(state), flow })
      kept.length = Math.min(kept.length, maxFlows)
    },
    begin(state, { kind, from, to, method, url, request }) {
      const flow = find(state)
      if (!flow || flow.hops.length >= maxHops) return () => undefined
      const startedAt = performance.now()
      const [address = '', query] = url.split('?', 2)
      const hop = {
        ...{ kind, from, to, method, url: cut(address), at: new Date().toISOString() },
        request: shownParameters([...new URLSearchParams(query), ...request]),
        ...{ milliseconds: null, status: null, answer: {}, claims: null },
      } satisfies LoginHop
      const index = flow.hops.push(hop) - 1
      return (answered) => {
        const { milliseconds = performance.now() - startedAt } = answered
        flow.hops[index] = { ...hop, ...shownAnswer(answered), milliseconds }
      }
    },
    end(state, outcome) {
      const flow = find(state)
      if (flow) flow.outcome = outcome
    },
    list: (project) =>
      kept
        .filter(({ flow }) => project === undefined || flow.project === project)
        .map(({ flow }) => structuredClone(flow)),
  }

  function find(state: string): KeptFlow['flow'] | undefined {
    const hash = hashState(state)
    return kept.find((each) => each.state === hash)?.flow
  }
}

function hashState(state: string): string {
  return createHash('sha256').update(state).digest('base64url')
}

function shownAnswer({ status, answer = [], claims }: AnsweredHop): Pick<LoginHop, 'status' | 'answer' | 'claims'> {
  return { status, answer: shownParameters(answer), claims: claims ? shownClaims(claims) : null }
}

function shownParameters(given: Iterable<readonly [string, string]>): Record<string, string> {
  const shown = [...given]
    .filter(([, value]) => value !== '')
    .slice(0, maxNames)
    .map(([name, value]) => [cut(name), shownParameter(name, value)])
  return Object.fromEntries(shown)
}

function shownParameter(name: string, value: string): string {
  if (name === 'authorization')
    return value.replace(/^(\w{1,20}) (.*)$/s, (_, scheme, rest) => `${scheme} ${mask(rest)}`)
  if (!plainNames.has(name)) return mask(value)
  return /^https?:/i.test(value) ? cut(shownAddress(value)) : cut(value)
}

/** Masks each parameter in the query and the fragment of an address. */
function shownAddress(address: string): string {
  const at = address.search(/[?#]/)
  if (at < 0) return address
  const pairs = [...new URLSearchParams(address.slice(at).replace(/^[?#]/, '').replaceAll('#', '&'))]
  return `${address.slice(0, at)}?${pairs.map(([name, value]) => `${name}=${shownParameter(name, value)}`).join('&')}`
}

function shownClaims(claims: Readonly<Record<string, Json>>): Record<string, string> {
  const shown = Object.entries(claims)
    .slice(0, maxNames)
    .map(([name, value]) => [
      cut(name),
      secretClaim.test(name) ? mask(formatValue(value)) : cut(formatValue(masked(value))),
    ])
  return Object.fromEntries(shown)
}

/** Recognizes secrets in nested fields by their names too. */
function masked(value: Json): Json {
  if (Array.isArray(value)) return value.map(masked)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      secretClaim.test(name) ? mask(formatValue(member)) : masked(member),
    ]),
  )
}

function formatValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Shows the length, so that a reader can tell whether the secret was cut off. */
function mask(secret: string): string {
  return `…(${secret.length})`
}

function cut(text: string): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`
}
