/** The way of ordinary requests: a tree of paths, which takes a third of the time that Express does. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import openTree from 'find-my-way'
import type { Serve } from './exchange.js'
import type { Respond } from './mount.js'
import type { ServedPath } from './places.js'
import type { RouteMethod } from './route.js'

/** Answers a request if its path is one of the places; says whether it did. */
export type Router = (req: IncomingMessage, res: ServerResponse) => boolean

/**
 * Paths without escapes, fragments and empty parts mean the same to the tree and to Express. What is not plain, and every
 * path that is not in the tree, is left to Express.
 */
const plainPath = /^(?:\/[\w.~:@!$&'()*+,=-]+)+\/?$/

/**
 * The tree holds each path once; which method is served there is its place's to say.
 *
 * @param below paths of apps, whose requests Express hands on
 */
export function openRouter(places: readonly ServedPath[], below: readonly string[], respond: Respond): Router {
  // A part of a path may be as long as the path: ids and names have limits of their own.
  const tree = openTree({ ignoreTrailingSlash: true, maxParamLength: 64 * 1024, querystringParser: () => ({}) })
  for (const place of places) tree.on('GET', place.path, () => undefined, place)
  return (req, res) => {
    const { method = '', url = '' } = req
    const end = url.indexOf('?')
    const path = end < 0 ? url : url.slice(0, end)
    if (!plainPath.test(path) || below.some((prefix) => path.startsWith(prefix))) return false
    const found = tree.find('GET', path)
    if (!found) return false
    const place: ServedPath = found.store
    const serve = servedBy(place, method)
    if (!serve) return false
    void respond(place.path, serve, Object.assign(req, { params: found.params }), res)
    return true
  }
}

/** As Express has it: what is read answers HEAD too. Nothing where another method belongs to a more general path. */
function servedBy({ methods, others }: ServedPath, method: string): Serve | undefined {
  return methods.get(method === 'HEAD' ? 'get' : (method.toLowerCase() as RouteMethod)) ?? others
}
