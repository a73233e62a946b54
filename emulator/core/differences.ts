/** Lists the differences between two JSON values. */
import { isObject, type Json, type JsonObject } from '../../client/protocol/model/json.js'

export interface Difference {
  /** Path of the difference; empty for the whole value. */
  readonly path: readonly (string | number)[]
  /** As JSON; null if there was no value. */
  readonly before: string | null
  readonly after: string | null
}

const maxValueCharacters = 1_000

/** Lists up to `most` differences, in the order of the fields. Truncates long values. */
export function differencesBetween(one: Json | undefined, other: Json | undefined, most: number): Difference[] {
  const found: Difference[] = []
  compare([], one, other)
  return found

  function compare(path: (string | number)[], one: Json | undefined, other: Json | undefined): void {
    if (found.length >= most) return
    if (isContainer(one) && isContainer(other) && Array.isArray(one) === Array.isArray(other)) {
      for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
        const step = Array.isArray(one) ? Number(name) : name
        compare([...path, step], readMember(one, name), readMember(other, name))
      }
      return
    }
    const [before, after] = [formatValue(one), formatValue(other)]
    if (before !== after) found.push({ path, before: truncate(before), after: truncate(after) })
  }
}

function isContainer(value: Json | undefined): value is Json[] | JsonObject {
  return Array.isArray(value) || isObject(value)
}

/** Checks own properties, because fields may have inherited names such as `toString`. */
function readMember(value: Json[] | JsonObject, name: string): Json | undefined {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}

function formatValue(value: Json | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

function truncate(text: string | null): string | null {
  return text !== null && text.length > maxValueCharacters ? `${text.slice(0, maxValueCharacters)}…` : text
}
