import { expect, it } from 'vitest'
import { formatCurl } from './curl.js'

const body = { type: 'application/json', bytes: 7, text: '{"a":1}', isCut: false, isMasked: false, leftOut: null }

it('a GET with a body stays one, and a HEAD has none', () => {
  const commands = ['GET', 'HEAD'].map((method) =>
    formatCurl({ method, path: '/any', request: { headers: {}, body } }, 'http://127.0.0.1:1'),
  )

  expect(commands).toEqual([
    'curl -X GET http://127.0.0.1:1/any \\\n  --data-raw \'{"a":1}\'',
    'curl --head http://127.0.0.1:1/any',
  ])
})
