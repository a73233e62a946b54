/** What is different between the answers of a request and of its replay, as both are shown. */
import type { AnswerDifference, RequestRecord } from '../../../client/protocol/control/requests.js'
import { isObject, type Json, type JsonObject } from '../../../client/protocol/model/json.js'

const mostDifferences = 1_000
const mostValueCharacters = 1_000

/** Headers that are never the same twice. */
const passing = /^(?:date|x-request-id|x-ratelimit-.*|content-length)$/

type Part = AnswerDifference['part']

/** Status, headers and body, in that order; of JSON bodies value by value, down to the first 1,000 differences. */
export function differencesOf(before: RequestRecord, after: RequestRecord): AnswerDifference[] {
  const found: AnswerDifference[] = []
  compare('status', [], before.status, after.status)
  compare('headers', [], lasting(before.answer.headers), lasting(after.answer.headers))
  const [one, other] = [before, after].map(({ answer }) => bodyOf(answer.body.text))
  compare('body', [], one, other)
  return found

  function compare(part: Part, path: (string | number)[], one: Json | undefined, other: Json | undefined): void {
    if (found.length === mostDifferences) return
    if (isContainer(one) && isContainer(other) && Array.isArray(one) === Array.isArray(other)) {
      for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
        const step = Array.isArray(one) ? Number(name) : name
        compare(part, [...path, step], memberOf(one, name), memberOf(other, name))
      }
      return
    }
    const [before, after] = [textOf(one), textOf(other)]
    if (before !== after) found.push({ part, path, before: shortened(before), after: shortened(after) })
  }
}

function lasting(headers: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !passing.test(name)))
}

/** A body that is no JSON is compared as the text that it is. */
function bodyOf(text: string | null): Json | undefined {
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function isContainer(value: Json | undefined): value is Json[] | JsonObject {
  return Array.isArray(value) || isObject(value)
}

/** Fields may have any name, that of something inherited too. */
function memberOf(value: Json[] | JsonObject, name: string): Json | undefined {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}

function textOf(value: Json | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

function shortened(text: string | null): string | null {
  return text !== null && text.length > mostValueCharacters ? `${text.slice(0, mostValueCharacters)}…` : text
}
