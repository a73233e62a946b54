/** Bodies, methods and headers that a service may refuse, and promises about repeated requests. */
import type { ParityCase, Step } from '../case.js'

const documents = '/collections/{fresh}/documents'
const creating = '/collections/documents?collection={fresh}'
const setUp: Step = { method: 'POST', path: '/collections', body: { name: '{fresh}' } }
const own: ParityCase['needs'] = ['collections']

export const limitCases: readonly ParityCase[] = [
  {
    id: 'methods.unknown-path',
    axis: 'methods',
    steps: [{ method: 'GET', path: '/parity-nothing-is-here' }],
    compare: ['status'],
  },
  {
    id: 'methods.delete-of-a-list',
    axis: 'methods',
    needs: own,
    steps: [setUp, { method: 'DELETE', path: documents }],
    compare: ['outcome'],
  },
  {
    id: 'bodies.not-json',
    axis: 'bodies',
    needs: own,
    steps: [setUp, { method: 'POST', path: creating, body: '{"n":', headers: { 'content-type': 'application/json' } }],
    compare: ['outcome'],
  },
  {
    id: 'bodies.deep',
    axis: 'bodies',
    needs: own,
    steps: [setUp, { method: 'POST', path: creating, body: JSON.parse(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`) }],
    compare: ['outcome'],
    change: 'Store data that is nested less.',
  },
  {
    id: 'bodies.field-with-dollar',
    axis: 'bodies',
    needs: own,
    steps: [setUp, { method: 'POST', path: creating, body: { n: 1, $price: 3 } }],
    compare: ['outcome'],
  },
  {
    id: 'repeats.same-key-creates-once',
    axis: 'repeats',
    needs: ['collections', 'idempotency'],
    steps: [
      setUp,
      { method: 'POST', path: creating, body: { n: 1 }, headers: { 'idempotency-key': '{fresh}-1' } },
      { method: 'POST', path: creating, body: { n: 1 }, headers: { 'idempotency-key': '{fresh}-1' } },
      { method: 'GET', path: documents },
    ],
    compare: ['count'],
    change: 'Look for the document before you send it a second time.',
  },
  {
    id: 'repeats.upsert',
    axis: 'repeats',
    needs: own,
    steps: [
      {
        method: 'POST',
        path: '/collections',
        body: { name: '{fresh}', schema: { slug: { type: 'string', unique: true } } },
      },
      { method: 'POST', path: `${creating}&upsert=slug`, body: { n: 1, slug: 'a' } },
      { method: 'POST', path: `${creating}&upsert=slug`, body: { n: 2, slug: 'a' } },
      { method: 'GET', path: documents },
    ],
    compare: ['rows'],
    change: 'Look for the document, then create or update it.',
  },
  ...(['required', 'type'] as const).map(
    (rule): ParityCase => ({
      id: `schemas.${rule}`,
      axis: 'schemas',
      needs: own,
      steps: [
        {
          method: 'POST',
          path: '/collections',
          body: { name: '{fresh}', schema: { title: { type: 'string', required: true } } },
        },
        { method: 'POST', path: creating, body: rule === 'required' ? { n: 1 } : { title: 5 } },
      ],
      compare: ['outcome'],
      change: 'Check documents in the app. The service may not obey schemas.',
    }),
  ),
]
