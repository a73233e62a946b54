import type { Writable } from '../../../client/protocol/model/json.js'
import { readDialect } from '../../../client/protocol/wire/dialects.js'
import { describeRoutes } from '../openapi.js'
import { textQuery } from '../request/read-list.js'
import { type Route, route } from '../route.js'

/** What the service tells about itself, to anyone. */
export function aboutRoutes(described: readonly Route[], version: string): readonly Route[] {
  return [
    route({
      id: 'about.home',
      summary: 'What this is, and where to go from here.',
      method: 'get',
      paths: { any: ['/'] },
      needs: 'nothing',
      reply: 'plain',
      handle: () => ({
        service: 'svc',
        version,
        message: 'Send your API key as "x-api-key" and start at "/collections".',
        collections: '/collections',
        openapi: '/openapi.json',
      }),
    }),
    route({
      id: 'about.openapi',
      summary: 'This description.',
      method: 'get',
      paths: { any: ['/openapi.json'] },
      needs: 'nothing',
      query: textQuery('dialect', 'The dialect to describe; left out, the one that the request speaks.'),
      reply: 'plain',
      handle: (_backend, { query, dialect }) =>
        describeRoutes(described, readDialect(query, dialect), version) as Writable,
    }),
  ]
}
