import type { Json, JsonObject } from '../../../client/protocol/model/json.js'
import { terminalWidth } from '../../terminal/print.js'
import { cut, printable } from '../../terminal/text-width.js'
import { fieldChanges } from './field-changes.js'

const maxColumns = 100

type Colour = (text: string) => string

interface DifferenceOptions {
  /** Left out, the lines have none. */
  readonly colours?: { readonly red: Colour; readonly green: Colour }
  /** How wide a line may be; left out, as wide as the terminal of stderr, within reason. */
  readonly columns?: number
}

/** What became of each field, a line for what was and a line for what is. */
export function differences(before: JsonObject, after: JsonObject, options: DifferenceOptions = {}): string[] {
  const { colours = { red: String, green: String }, columns = fitting(process.stderr) } = options
  return fieldChanges(before, after).flatMap(([name, { from, to }]) => [
    ...(from === undefined ? [] : [colours.red(line('-', name, from, columns))]),
    ...(to === undefined ? [] : [colours.green(line('+', name, to, columns))]),
  ])
}

/** The columns of a line that begins at `indent` of a terminal. */
export function fitting(stream: NodeJS.WriteStream, indent = 0): number {
  return Math.min(maxColumns, terminalWidth(stream) - indent)
}

function line(sign: string, name: string, value: Json, columns: number): string {
  return cut(`${sign} ${printable(name)}: ${printable(JSON.stringify(value))}`, columns)
}
