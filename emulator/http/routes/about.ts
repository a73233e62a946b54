import { parseDialect } from '../../../client/protocol/wire/dialects.js'
import { openDescriptions } from '../openapi/descriptions.js'
import { textQuery } from '../request/read-list.js'
import { type Route, route } from '../route.js'

/** Builds a public route that describes routes. */
export function descriptionRoute(id: string, path: string, described: readonly Route[], version: string): Route {
  const descriptions = openDescriptions(described, version)
  return route({
    id,
    summary: 'This description.',
    method: 'get',
    paths: { any: [path] },
    needs: 'nothing',
    query: textQuery('dialect', 'The dialect to describe. Defaults to the dialect of the request.'),
    reply: 'description',
    isExpensive: ({ query, dialect }) => !descriptions.has(parseDialect(query, dialect)),
    handle: (_backend, { query, dialect }) => descriptions.of(parseDialect(query, dialect)),
  })
}

/** Public routes that describe the service, and the control API separately if there is one. */
export function aboutRoutes(routes: readonly Route[], control: readonly Route[], version: string): readonly Route[] {
  return [
    route({
      id: 'about.home',
      summary: 'Describe the service and how to start.',
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
    descriptionRoute('about.openapi', '/openapi.json', [...routes, ...control], version),
    ...(control.length > 0 ? [descriptionRoute('about.controlOpenapi', '/_svc/openapi.json', control, version)] : []),
  ]
}
