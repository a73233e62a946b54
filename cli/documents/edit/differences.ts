import type { Json, JsonObject } from '../../../client/protocol/model/json.js'
import { terminalWidth } from '../../terminal/print.js'
import { cut, printable } from '../../terminal/text-width.js'
import { fieldChanges } from './field-changes.js'

const maxColumns = 100

type Colour = (text: string) => string

interface DifferenceOptions {
  /** Omit for plain lines. */
  readonly colours?: { readonly red: Colour; readonly green: Colour }
  /** Maximum line width. Defaults to the width of the terminal on stderr, up to a limit. */
  readonly columns?: number
}

/** Lists the changed fields: one line for the old value, one for the new. */
export function differences(before: JsonObject, after: JsonObject, options: DifferenceOptions = {}): string[] {
  const { colours = { red: String, green: String }, columns = fitting(process.stderr) } = options
  return fieldChanges(before, after).flatMap(([name, { from, to }]) => [
    ...(from === undefined ? [] : [colours.red(line('-', name, from, columns))]),
    ...(to === undefined ? [] : [colours.green(line('+', name, to, columns))]),
  ])
}

/** Returns the columns left after the indent. */
export function fitting(stream: NodeJS.WriteStream, indent = 0): number {
  return Math.min(maxColumns, terminalWidth(stream) - indent)
}

function line(sign: string, name: string, value: Json, columns: number): string {
  return cut(`${sign} ${printable(name)}: ${printable(JSON.stringify(value))}`, columns)
}
