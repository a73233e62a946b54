/** A form for the parts of a request. */
import { useId } from 'react'
import { useCollections } from '../../frame/counts.js'
import { Field } from '../../parts/dialog.js'
import { Answer } from './answer.js'
import { createExample, describeLimits } from './describe-schema.js'
import type { Description, Operation, Parameter, Schema } from './description.js'
import { type Caller, callers, takesDialect } from './request.js'
import { isForm, type RequestForm } from './request-form.js'
import type { useSending } from './use-sending.js'

interface TryItProps {
  readonly operation: Operation
  readonly description: Description
  readonly typed: RequestForm
  readonly onType: (typed: RequestForm) => void
  readonly caller: Caller
  readonly offered: readonly Caller[]
  readonly onCaller: (caller: Caller) => void
  readonly dialect: string
  readonly offeredDialects: readonly string[]
  readonly onDialect: (dialect: string) => void
  readonly sending: ReturnType<typeof useSending>
  readonly onSend: () => void
}

export function TryIt(props: TryItProps) {
  const { operation, typed, onType, caller, offered, onCaller, sending, onSend } = props
  return (
    <>
      <form
        id="try"
        className="try"
        onSubmit={(event) => {
          event.preventDefault()
          onSend()
        }}
      >
        <div className="try-who">
          <Field label="Send as">
            <select value={caller} onChange={({ target }) => onCaller(target.value as Caller)}>
              {offered.map((each) => (
                <option key={each} value={each}>
                  {callers[each]}
                </option>
              ))}
            </select>
          </Field>
          {takesDialect(operation) ? (
            <Field label="Dialect">
              <select value={props.dialect} onChange={({ target }) => props.onDialect(target.value)}>
                {props.offeredDialects.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            </Field>
          ) : null}
        </div>
        {operation.paths.length > 1 ? (
          <Field label="Path">
            <select
              className="mono"
              value={typed.path}
              onChange={({ target }) => onType({ ...typed, path: target.value })}
            >
              {operation.paths.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </Field>
        ) : null}
        {operation.parameters
          .filter(({ name }) => name !== 'svc-dialect')
          .map((parameter) => (
            <ParameterField
              key={parameter.in + parameter.name}
              parameter={parameter}
              value={typed.values[`${parameter.in} ${parameter.name}`] ?? ''}
              onChange={(value) =>
                onType({ ...typed, values: { ...typed.values, [`${parameter.in} ${parameter.name}`]: value } })
              }
            />
          ))}
        {operation.bodies.length > 0 ? <BodyField {...props} /> : null}
      </form>
      <Answer {...sending} isRecorded={caller !== 'control'} />
    </>
  )
}

interface ParameterProps {
  readonly parameter: Parameter
  readonly value: string
  readonly onChange: (value: string) => void
}

function ParameterField({ parameter, value, onChange }: ParameterProps) {
  const { name, in: location, required, description, schema } = parameter
  const [input, list] = [useId(), useId()]
  const { data: collections } = useCollections()
  const choices = schema.enum ?? (schema.type === 'boolean' ? [true, false] : undefined)
  const isCollection = location === 'path' && name === 'collection'
  return (
    <div className="try-parameter">
      <label htmlFor={input}>
        <span className="mono">{name}</span>
        <small className={required ? 'warn' : 'dim'}>{required ? `${location}, required` : location}</small>
        {choices ? (
          <select id={input} value={value} onChange={({ target }) => onChange(target.value)}>
            <option value="" />
            {choices.map((each) => (
              <option key={String(each)}>{String(each)}</option>
            ))}
          </select>
        ) : (
          <input
            id={input}
            className="input mono"
            value={value}
            placeholder={schema.default === undefined ? '' : String(schema.default)}
            list={isCollection ? list : undefined}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => onChange(target.value)}
          />
        )}
      </label>
      {isCollection ? (
        <datalist id={list}>
          {(collections ?? []).slice(0, 200).map((each) => (
            <option key={each.id} value={each.name} />
          ))}
        </datalist>
      ) : null}
      {description === undefined && describeLimits(schema) === '' ? null : <p className="dim">{description}</p>}
    </div>
  )
}

function BodyField({ operation, description, typed, onType }: TryItProps) {
  const body = operation.bodies.find(({ type }) => type === typed.type) ?? operation.bodies[0]
  if (!body) return null
  const change = (type: string) => {
    const next = operation.bodies.find((each) => each.type === type)
    const isEmpty = typed.text.trim() === ''
    const text =
      next && isEmpty && !isForm(type) ? JSON.stringify(createExample(next.schema, description.resolveSchema)) : ''
    onType({ ...typed, type, text: isEmpty ? text : typed.text })
  }
  return (
    <>
      {operation.bodies.length > 1 ? (
        <Field label="Body type">
          <select value={body.type} onChange={({ target }) => change(target.value)}>
            {operation.bodies.map(({ type }) => (
              <option key={type}>{type}</option>
            ))}
          </select>
        </Field>
      ) : null}
      {isForm(body.type) ? (
        <FormFields schema={description.resolveSchema(body.schema)} typed={typed} onType={onType} />
      ) : (
        <Field label="Body">
          <textarea
            className="input"
            rows={Math.min(Math.max(typed.text.split('\n').length + 1, 5), 16)}
            value={typed.text}
            spellCheck={false}
            onChange={({ target }) => onType({ ...typed, text: target.value })}
          />
        </Field>
      )}
    </>
  )
}

/** Text and file fields of a form. Adds a field `file` if the schema allows files under any name. */
function FormFields({ schema, typed, onType }: { schema: Schema } & Pick<TryItProps, 'typed' | 'onType'>) {
  const { properties = {}, additionalProperties } = schema
  const fields = Object.entries(properties)
  if (typeof additionalProperties === 'object' && !Object.hasOwn(properties, 'file')) {
    fields.push(['file', additionalProperties])
  }
  const change = (name: string, value: string | File) => onType({ ...typed, form: { ...typed.form, [name]: value } })
  return fields.map(([name, field]) => {
    const value = typed.form[name] ?? ''
    return (
      <Field key={name} label={<span className="mono">{name}</span>} hint={field.description}>
        {field.format === 'binary' ? (
          <input type="file" onChange={({ target }) => change(name, target.files?.[0] ?? '')} />
        ) : (
          <input
            className="input mono"
            value={typeof value === 'string' ? value : ''}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => change(name, target.value)}
          />
        )}
      </Field>
    )
  })
}
