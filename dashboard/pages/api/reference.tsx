/** Shows the parameters, bodies and answers of an operation. */
import type { ReactNode } from 'react'
import { statusLook } from '../../parts/request-looks.js'
import { describeLimits, describeType } from './describe-schema.js'
import type { Answer, Description, Operation, Parameter } from './description.js'
import { FieldLine, SchemaFields } from './schema-fields.js'

interface ReferenceProps {
  readonly operation: Operation
  readonly description: Description
}

const securityWords: Readonly<Record<string, string>> = {
  apiKey: 'a key',
  bearer: 'a key or a user token',
  controlToken: 'the control token',
}

export function Reference({ operation, description: { resolveSchema } }: ReferenceProps) {
  const { summary, security, paths, parameters, bodies, answers } = operation
  const who =
    security.length === 0 ? 'no key' : [...new Set(security.map((name) => securityWords[name] ?? name))].at(-1)
  return (
    <>
      <p className="padded">
        {summary} <span className="dim">Needs {who}.</span>
      </p>
      {paths.length > 1 ? (
        <Part title="Also at">
          <ul className="schema mono">
            {paths.slice(1).map((path) => (
              <li key={path}>{path}</li>
            ))}
          </ul>
        </Part>
      ) : null}
      {parameters.length > 0 ? (
        <Part title="Parameters">
          <ul className="schema">
            {parameters.map((parameter) => (
              <li key={parameter.in + parameter.name}>
                <ParameterLine parameter={parameter} resolveSchema={resolveSchema} />
              </li>
            ))}
          </ul>
        </Part>
      ) : null}
      {bodies.map(({ type, schema }) => (
        <Part key={type} title="Body" facts={type}>
          <p className="schema-whole dim">
            <span className="mono">{describeType(schema, resolveSchema)}</span> {resolveSchema(schema).description}
          </p>
          <SchemaFields schema={schema} resolveSchema={resolveSchema} />
        </Part>
      ))}
      <Part title="Answers">
        {answers.map((answer) => (
          <AnswerLines key={answer.status} answer={answer} resolveSchema={resolveSchema} />
        ))}
      </Part>
    </>
  )
}

function Part({ title, facts, children }: { title: string; facts?: string; children: ReactNode }) {
  return (
    <section className="reference-part" aria-label={title}>
      <h3 className="section">
        {title}
        {facts === undefined ? null : <span className="mono dim">{facts}</span>}
      </h3>
      {children}
    </section>
  )
}

type ResolveSchema = Description['resolveSchema']

function ParameterLine({ parameter, resolveSchema }: { parameter: Parameter; resolveSchema: ResolveSchema }) {
  const { name, in: location, required = false, description, schema } = parameter
  return (
    <FieldLine
      name={name}
      isRequired={required}
      type={`${describeType(schema, resolveSchema)} · ${location}`}
      notes={[description, describeLimits(resolveSchema(schema))]}
    />
  )
}

function AnswerLines({ answer, resolveSchema }: { answer: Answer; resolveSchema: ResolveSchema }) {
  const { status, description, schema } = answer
  const isFine = Number(status) < 400
  return (
    <details className="answer-lines" open={isFine}>
      <summary>
        <span className={statusLook(Number(status))}>{status}</span> <span>{description}</span>
      </summary>
      {schema ? (
        <>
          <p className="schema-whole mono dim">{describeType(schema, resolveSchema)}</p>
          <SchemaFields schema={schema} resolveSchema={resolveSchema} />
        </>
      ) : null}
    </details>
  )
}
