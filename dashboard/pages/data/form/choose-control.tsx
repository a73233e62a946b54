/** Chooses the control for a value by the rule of its field. */
import type { ComponentType } from 'react'
import type { FieldType, ValueRule } from '../../../../client/protocol/model/collection.js'
import { isObject, type Json } from '../../../../client/protocol/model/json.js'
import { ControlContext, type ControlProps } from './control.js'
import { FileControl } from './file-control.js'
import { LinkControl } from './link-control.js'
import { ListControl, maxRows } from './list-control.js'
import { ObjectControl } from './object-control.js'
import { ChoiceControl, DateControl, JsonControl, NumberControl, TextControl, ToggleControl } from './text-controls.js'

const isText = (value: Json) => typeof value === 'string'
const isNumber = (value: Json) => typeof value === 'number' || typeof value === 'string'

interface Known {
  readonly control: ComponentType<ControlProps>
  /** Whether the control can show the value. Others are shown as JSON. */
  readonly shows: (value: Json) => boolean
  /** Whether the control fits in a cell of the grid. */
  readonly fitsCell?: true
}

const controls: { readonly [Type in FieldType]: Known } = {
  string: { control: TextControl, shows: isText, fitsCell: true },
  number: { control: NumberControl, shows: isNumber, fitsCell: true },
  integer: { control: NumberControl, shows: isNumber, fitsCell: true },
  boolean: { control: ToggleControl, shows: (value) => typeof value === 'boolean', fitsCell: true },
  array: { control: ListControl, shows: (value) => Array.isArray(value) && value.length <= maxRows },
  object: { control: ObjectControl, shows: isObject },
  datetime: { control: DateControl, shows: isText, fitsCell: true },
  file: { control: FileControl, shows: isText },
  link: { control: LinkControl, shows: isText, fitsCell: true },
  any: { control: JsonControl, shows: () => true },
}

const asJson = controls.any

function findControl(rule: ValueRule): Known {
  const { type, format, many } = rule
  if (rule.enum) return { control: ChoiceControl, shows: (value) => !isObject(value) && !Array.isArray(value) }
  if (type === 'object' && !rule.fields) return asJson
  if (type === 'array' && !rule.items) return asJson
  if (type === 'string' && format === 'date') return controls.datetime
  return type === 'link' && many ? { ...controls.link, shows: Array.isArray } : controls[type]
}

/** Whether a value with this rule can be edited in a cell of the grid. */
export function fitsCell({ type, many = false }: ValueRule): boolean {
  return controls[type].fitsCell === true && !many
}

/** Whether the control for a rule shows what is wrong below its value by itself. */
export function hasParts(rule: ValueRule): boolean {
  return (rule.type === 'object' && rule.fields !== undefined) || (rule.type === 'array' && rule.items !== undefined)
}

export function Control(props: ControlProps) {
  const { rule, value } = props
  const { control, shows } = findControl(rule)
  const Chosen = value === undefined || shows(value) ? control : JsonControl
  return (
    <ControlContext value={Control}>
      <Chosen {...props} />
    </ControlContext>
  )
}
