/** What is different between two values, value by value. */
import { isObject, type Json, type JsonObject } from '../../client/protocol/model/json.js'

export interface Difference {
  /** Where; nothing of it is the whole value. */
  readonly path: readonly (string | number)[]
  /** As JSON; null where there was nothing. */
  readonly before: string | null
  readonly after: string | null
}

const mostValueCharacters = 1_000

/** Down to so many differences, in the order of the fields. Long values are cut. */
export function differencesBetween(one: Json | undefined, other: Json | undefined, most: number): Difference[] {
  const found: Difference[] = []
  compare([], one, other)
  return found

  function compare(path: (string | number)[], one: Json | undefined, other: Json | undefined): void {
    if (found.length >= most) return
    if (isContainer(one) && isContainer(other) && Array.isArray(one) === Array.isArray(other)) {
      for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
        const step = Array.isArray(one) ? Number(name) : name
        compare([...path, step], memberOf(one, name), memberOf(other, name))
      }
      return
    }
    const [before, after] = [textOf(one), textOf(other)]
    if (before !== after) found.push({ path, before: shortened(before), after: shortened(after) })
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
