/** Files in documents and standalone files. */
import type { ParityCase, Step } from '../case.js'

const documents = '/collections/{fresh}/documents'
const setUp: Step = { method: 'POST', path: '/collections', body: { name: '{fresh}' } }
const file = { file: 'parity.txt', text: 'Tea' }

export const fileCases: readonly ParityCase[] = [
  {
    id: 'files.with-a-document',
    axis: 'files',
    needs: ['collections'],
    steps: [
      setUp,
      { method: 'POST', path: documents, form: { data: '{"n":1}', letter: file }, bind: 'id' },
      { method: 'GET', path: `${documents}/{id}` },
    ],
    compare: ['fields'],
  },
  {
    id: 'files.without-data',
    axis: 'files',
    needs: ['collections'],
    steps: [setUp, { method: 'POST', path: documents, form: { letter: file } }],
    compare: ['outcome'],
    change: 'Send the part "data" with every upload.',
  },
  {
    id: 'files.update',
    axis: 'files',
    needs: ['collections'],
    steps: [
      setUp,
      { method: 'POST', path: documents, body: { n: 1 }, bind: 'id' },
      { method: 'PATCH', path: `${documents}/{id}`, form: { data: '{"n":2}', letter: file } },
      { method: 'GET', path: `${documents}/{id}` },
    ],
    compare: ['fields'],
  },
  {
    id: 'files.bad-data',
    axis: 'files',
    needs: ['collections'],
    steps: [setUp, { method: 'POST', path: documents, form: { data: '{"n":', letter: file } }],
    compare: ['outcome'],
  },
]
