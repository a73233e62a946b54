/** Files in documents and standalone files. */
import type { ParityCase, Step } from '../case.js'

const documents = '/collections/{fresh}/documents'
const creating = '/collections/documents?collection={fresh}'
const setUp: Step = { method: 'POST', path: '/collections', body: { name: '{fresh}' } }
const file = { file: 'parity.txt', text: 'Tea' }

/** Requests after which a file should be gone. */
const gone: readonly (readonly [id: string, step: Step])[] = [
  [
    'replaced-is-gone',
    { method: 'PATCH', path: `${documents}/{id}`, form: { data: '{"n":2}', letter: { ...file, text: 'Milk' } } },
  ],
  ['gone-with-its-document', { method: 'DELETE', path: `${documents}/{id}` }],
]

export const fileCases: readonly ParityCase[] = [
  {
    id: 'files.with-a-document',
    axis: 'files',
    needs: ['collections'],
    steps: [
      setUp,
      { method: 'POST', path: creating, form: { data: '{"n":1}', letter: file }, bind: 'id' },
      { method: 'GET', path: `${documents}/{id}` },
    ],
    compare: ['fields'],
  },
  {
    id: 'files.without-data',
    axis: 'files',
    needs: ['collections'],
    steps: [setUp, { method: 'POST', path: creating, form: { letter: file } }],
    compare: ['outcome'],
    change: 'Send the part "data" with every upload.',
  },
  {
    id: 'files.update',
    axis: 'files',
    needs: ['collections'],
    steps: [
      setUp,
      { method: 'POST', path: creating, body: { n: 1 }, bind: 'id' },
      { method: 'PATCH', path: `${documents}/{id}`, form: { data: '{"n":2}', letter: file } },
      { method: 'GET', path: `${documents}/{id}` },
    ],
    compare: ['fields'],
  },
  ...gone.map(
    ([id, step]): ParityCase => ({
      id: `files.${id}`,
      axis: 'files',
      needs: ['collections'],
      steps: [
        setUp,
        { method: 'POST', path: creating, form: { data: '{"n":1}', letter: file }, bind: 'id' },
        { method: 'GET', path: `${documents}/{id}`, bind: 'file' },
        step,
        { method: 'GET', path: '{file}' },
      ],
      compare: ['outcome'],
      change: 'Do not rely on it that a file is gone. Its address may go on working.',
    }),
  ),
  {
    id: 'files.bad-data',
    axis: 'files',
    needs: ['collections'],
    steps: [setUp, { method: 'POST', path: creating, form: { data: '{"n":', letter: file } }],
    compare: ['outcome'],
  },
]
