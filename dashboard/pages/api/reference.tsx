/** What an operation takes and answers. */
import type { ReactNode } from 'react'
import { statusLook } from '../../parts/request-looks.js'
import type { Answer, Description, Operation, Parameter } from './description.js'
import { FieldLine, SchemaFields } from './schema-fields.js'
import { limitWords, typeWords } from './schema-words.js'

interface ReferenceProps {
  readonly operation: Operation
  readonly description: Description
}

const securityWords: Readonly<Record<string, string>> = {
  apiKey: 'a key',
  bearer: 'a key or the token of a user',
  controlToken: 'the control token',
}

export function Reference({ operation, description: { schemaOf } }: ReferenceProps) {
  const { summary, security, paths, parameters, bodies, answers } = operation
  const who =
    security.length === 0 ? 'nothing' : [...new Set(security.map((name) => securityWords[name] ?? name))].at(-1)
  return (
    <>
      <p className="padded">
        {summary} <span className="dim">It asks for {who}.</span>
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
                <ParameterLine parameter={parameter} schemaOf={schemaOf} />
              </li>
            ))}
          </ul>
        </Part>
      ) : null}
      {bodies.map(({ type, schema }) => (
        <Part key={type} title="Body" facts={type}>
          <p className="schema-whole dim">
            <span className="mono">{typeWords(schema, schemaOf)}</span> {schemaOf(schema).description}
          </p>
          <SchemaFields schema={schema} schemaOf={schemaOf} />
        </Part>
      ))}
      <Part title="Answers">
        {answers.map((answer) => (
          <AnswerLines key={answer.status} answer={answer} schemaOf={schemaOf} />
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

type SchemaOf = Description['schemaOf']

function ParameterLine({ parameter, schemaOf }: { parameter: Parameter; schemaOf: SchemaOf }) {
  const { name, in: place, required = false, description, schema } = parameter
  return (
    <FieldLine
      name={name}
      isRequired={required}
      type={`${typeWords(schema, schemaOf)} · ${place}`}
      words={[description, limitWords(schemaOf(schema))]}
    />
  )
}

function AnswerLines({ answer, schemaOf }: { answer: Answer; schemaOf: SchemaOf }) {
  const { status, description, schema } = answer
  const isFine = Number(status) < 400
  return (
    <details className="answer-lines" open={isFine}>
      <summary>
        <span className={statusLook(Number(status))}>{status}</span> <span>{description}</span>
      </summary>
      {schema ? (
        <>
          <p className="schema-whole mono dim">{typeWords(schema, schemaOf)}</p>
          <SchemaFields schema={schema} schemaOf={schemaOf} />
        </>
      ) : null}
    </details>
  )
}
