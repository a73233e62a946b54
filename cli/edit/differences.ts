import type { ChalkInstance } from 'chalk'
import { equalJson, type Json, type JsonObject } from '../../client/model/json.js'
import { onStderr } from '../colour.js'
import { terminalWidth } from '../print.js'
import { cut, printable } from '../text-width.js'

const mostColumns = 100

interface DifferenceOptions {
  readonly colours?: ChalkInstance
  /** How wide a line may be; left out, as wide as the terminal of stderr, within reason. */
  readonly columns?: number
}

/** What became of each field, a line for what was and a line for what is. */
export function differences(before: JsonObject, after: JsonObject, options: DifferenceOptions = {}): string[] {
  const { colours = onStderr, columns = fitting(process.stderr) } = options
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => {
    const one = Object.hasOwn(before, name) ? before[name] : undefined
    const other = Object.hasOwn(after, name) ? after[name] : undefined
    if (equalJson(one, other)) return []
    return [
      ...(one === undefined ? [] : [colours.red(line('-', name, one, columns))]),
      ...(other === undefined ? [] : [colours.green(line('+', name, other, columns))]),
    ]
  })
}

/** The columns of a line that begins at `indent` of a terminal. */
export function fitting(stream: NodeJS.WriteStream, indent = 0): number {
  return Math.min(mostColumns, terminalWidth(stream) - indent)
}

function line(sign: string, name: string, value: Json, columns: number): string {
  return cut(`${sign} ${printable(name)}: ${printable(JSON.stringify(value))}`, columns)
}
