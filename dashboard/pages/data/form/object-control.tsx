import type { Fields, Json } from '../../../../client/index.js'
import type { FieldRule } from '../../../../client/protocol/model/collection.js'
import { isObject, readField, setOwn } from '../../../../client/protocol/model/json.js'
import { type ControlProps, useControl } from './control.js'
import { below } from './list-control.js'
import { describeType, orderFields } from './rules.js'

const inlineTypes: readonly FieldRule['type'][] = ['string', 'boolean', 'integer', 'number']
const maxInline = 3

/** Shows the fields of an object below each other, or a few simple ones side by side. */
export function ObjectControl({ id, label, rule, value, onChange, issues }: ControlProps) {
  const Control = useControl()
  const fields = orderFields(rule.fields ?? {})
  const data = isObject(value) ? value : {}
  const isInline = fields.length <= maxInline && fields.every(([, each]) => isSimple(each))
  const shown = isInline ? [...fields].sort(([, one], [, other]) => rank(one) - rank(other)) : fields
  const extra = Object.keys(data).filter((name) => !Object.hasOwn(rule.fields ?? {}, name))
  const change = (name: string, next: Json | undefined) => {
    const changed = withField(data, name, next)
    onChange(Object.keys(changed).length === 0 ? undefined : changed)
  }
  return (
    <fieldset className={isInline ? 'object inline' : 'object'} id={id} tabIndex={-1}>
      <legend className="hidden">{label}</legend>
      {shown.map(([name, each]) => {
        const own = below(issues, name)
        return (
          <div key={name} className="part">
            {isInline ? null : (
              <span className="part-name">
                {name}
                {each.required ? '*' : ''} <em>{describeType(each)}</em>
              </span>
            )}
            {isInline && each.type === 'boolean' ? (
              <input
                type="checkbox"
                id={`${id}.${name}`}
                aria-label={`${label} ${name}`}
                title={name}
                checked={data[name] === true}
                onChange={({ target }) => change(name, target.checked)}
              />
            ) : (
              <Control
                id={`${id}.${name}`}
                label={`${label} ${name}`}
                rule={each}
                isRequired={each.required === true}
                isWrong={own.length > 0}
                value={readField(data, name)}
                onChange={(next) => change(name, next)}
                issues={own}
                placeholder={isInline ? name : undefined}
              />
            )}
          </div>
        )
      })}
      {extra.length > 0 ? <small className="dim">also {extra.join(', ')}, in the JSON tab</small> : null}
    </fieldset>
  )
}

function isSimple({ type, enum: values, format }: FieldRule): boolean {
  return inlineTypes.includes(type) && values === undefined && format !== 'markdown'
}

/** Puts checkboxes before the fields they belong to. */
function rank({ type }: FieldRule): number {
  return type === 'boolean' ? 0 : 1
}

/** Sets a field, or removes it, and keeps the order of the others. */
export function withField(data: Fields, name: string, value: Json | undefined): Fields {
  const next: Fields = {}
  for (const [field, before] of Object.entries(data)) {
    if (field !== name) setOwn(next, field, before)
    else if (value !== undefined) setOwn(next, field, value)
  }
  if (value !== undefined && !Object.hasOwn(data, name)) setOwn(next, name, value)
  return next
}
