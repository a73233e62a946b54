/** Compares the answers to a request and its replay, as displayed. */
import type { AnswerDifference, RequestRecord } from '../../../client/protocol/control/requests.js'
import type { Json } from '../../../client/protocol/model/json.js'
import { differencesBetween } from '../../core/differences.js'

const maxDifferences = 1_000

/** Headers that differ on every request. */
const passing = /^(?:date|x-request-id|x-ratelimit-.*|content-length)$/

/** Compares status, headers and body, in that order. Compares JSON bodies value by value, up to 1,000 differences. */
export function compareAnswers(before: RequestRecord, after: RequestRecord): AnswerDifference[] {
  const [one, other] = [before, after].map(({ answer }) => parseJsonBody(answer.body.text))
  const headers = [lasting(before.answer.headers), lasting(after.answer.headers)] as const
  return [
    ...differencesIn('status', before.status, after.status),
    ...differencesIn('headers', ...headers),
    ...differencesIn('body', one, other),
  ].slice(0, maxDifferences)
}

function differencesIn(part: AnswerDifference['part'], one: Json | undefined, other: Json | undefined) {
  return differencesBetween(one, other, maxDifferences).map(({ path, ...values }) => ({
    ...{ part, path: [...path] },
    ...values,
  }))
}

function lasting(headers: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !passing.test(name)))
}

/** Returns undefined for a body that is not JSON, which is then compared as text. */
function parseJsonBody(text: string | null): Json | undefined {
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
