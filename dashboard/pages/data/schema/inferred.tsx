/** Proposes fields that the documents of a collection have and its schema lacks. */
import { useQuery } from '@tanstack/react-query'
import type { CountedCollection } from '../../../../client/index.js'
import { type FieldRule, findRule, type Schema } from '../../../../client/protocol/model/collection.js'
import { counted, formatCount } from '../../../../client/protocol/model/figures.js'
import { countFields, inferSchema } from '../../../../types/infer-schema.js'
import { findLinksFrom } from '../../../../types/links.js'
import { readCollection, sampleSize } from '../../../../types/read-collections.js'
import { Query } from '../../../live/query.js'
import { useSession } from '../../../session/context.js'
import { describeType } from '../form/rules.js'
import { describeOptions } from './changes.js'

/** Rarer fields are only added one by one. */
const usualShare = 0.97

interface InferredProps {
  readonly collection: CountedCollection
  /** The schema on the page. */
  readonly schema: Schema
  readonly onAdd: (fields: Schema) => void
}

function useInferred({ id, name, schema, permissions }: CountedCollection) {
  const { owner, project } = useSession()
  return useQuery({
    queryKey: ['inferred', project.id, id],
    // Reads the documents once, each time the list is opened.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const reading = { most: sampleSize, seesAll: true, signal }
      const read = await readCollection(owner, { name, schema, permissions }, reading)
      const linkOf = await findLinksFrom(owner, read)
      const inferred = inferSchema({ schema: {}, documents: read.documents }, linkOf)
      return { schema: inferred, counts: countFields(read), documents: read.read }
    },
  })
}

export function Inferred({ collection, schema, onAdd }: InferredProps) {
  const inferred = useInferred(collection)
  return (
    <section className="inferred" aria-label="Inferred">
      <Query query={inferred}>
        {({ counts, documents, schema: found }) => {
          const fields = Object.entries(found).filter(([name]) => !findRule(schema, name))
          const share = (name: string) => (counts.get(name) ?? 0) / documents
          const usual = fields.filter(([name]) => share(name) >= usualShare)
          return (
            <>
              <h3>
                Inferred <small>from {counted(documents, 'document')}</small>
                {usual.length === 0 ? null : (
                  <button type="button" className="link" onClick={() => onAdd(Object.fromEntries(usual))}>
                    {usual.length === fields.length ? 'Add all' : `Add ${usual.length} of ${fields.length}`}
                  </button>
                )}
              </h3>
              {fields.length === 0 ? <p className="dim">The schema has each field that the documents have.</p> : null}
              {fields.map(([name, rule]) => (
                <div key={name} className="inferred-line">
                  <b className="cut">{name}</b>
                  <span className="cut dim" title={describeRule(rule)}>
                    {describeRule(rule)}
                  </span>
                  <meter
                    className={share(name) >= usualShare ? '' : 'rare'}
                    value={share(name)}
                    aria-label={`Share of documents with ${name}`}
                  />
                  <span className="mono">
                    {formatCount(counts.get(name) ?? 0)} of {formatCount(documents)}
                  </span>
                  <button
                    type="button"
                    className="link"
                    aria-label={`Add ${name}`}
                    onClick={() => onAdd({ [name]: rule })}
                  >
                    Add
                  </button>
                </div>
              ))}
            </>
          )
        }}
      </Query>
    </section>
  )
}

function describeRule(rule: FieldRule): string {
  const choices = rule.enum ? `${rule.enum.length} values` : ''
  return [describeType(rule), rule.required ? 'required' : '', choices, describeOptions(rule)]
    .filter((part) => part !== '')
    .join(', ')
}
