import type { ChalkInstance } from 'chalk'
import { equalJson, type Json, type JsonObject } from '../../client/model/json.js'
import { onStderr } from '../colour.js'
import { cut, printable } from '../text-width.js'

const mostColumns = 100

/** What became of each field, a line for what was and a line for what is. */
export function differences(before: JsonObject, after: JsonObject, colours: ChalkInstance = onStderr): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => {
    const one = Object.hasOwn(before, name) ? before[name] : undefined
    const other = Object.hasOwn(after, name) ? after[name] : undefined
    if (equalJson(one, other)) return []
    return [
      ...(one === undefined ? [] : [colours.red(line('-', name, one))]),
      ...(other === undefined ? [] : [colours.green(line('+', name, other))]),
    ]
  })
}

function line(sign: string, name: string, value: Json): string {
  return cut(`${sign} ${printable(name)}: ${printable(JSON.stringify(value))}`, mostColumns)
}
