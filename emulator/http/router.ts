/** The way of ordinary requests: a tree of paths, which takes a third of the time that Express does. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import openTree, { type HTTPMethod } from 'find-my-way'
import type { Serve } from './exchange.js'
import type { Respond } from './mount.js'
import type { ServedPath } from './places.js'

/** Answers a request if its path is one of the places; says whether it did. */
export type Router = (req: IncomingMessage, res: ServerResponse) => boolean

/** Methods that are refused, or served, where no route names them. Express answers the rare ones. */
const known = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/**
 * Paths without escapes, fragments and empty parts mean the same to the tree and to Express. What is not plain, and every
 * path that is not in the tree, is left to Express.
 */
const plainPath = /^(?:\/[\w.~:@!$&'()*+,=-]+)+\/?$/

/** @param below paths of apps, whose requests Express hands on */
export function openRouter(places: readonly ServedPath[], below: readonly string[], respond: Respond): Router {
  // A part of a path may be as long as the path: ids and names have limits of their own.
  const tree = openTree({ ignoreTrailingSlash: true, maxParamLength: 64 * 1024, querystringParser: () => ({}) })
  for (const place of places) {
    for (const [method, serve] of methodsOf(place)) tree.on(method, place.path, () => undefined, [place.path, serve])
  }
  return (req, res) => {
    const { method = '', url = '' } = req
    const end = url.indexOf('?')
    const path = end < 0 ? url : url.slice(0, end)
    if (!plainPath.test(path) || below.some((prefix) => path.startsWith(prefix))) return false
    const found = tree.find(method as HTTPMethod, path)
    if (!found) return false
    const [pattern, serve]: [string, Serve] = found.store
    void respond(pattern, serve, Object.assign(req, { params: found.params }), res)
    return true
  }
}

/** As Express has it: what is read answers HEAD too, and a place that is not shared refuses the rest. */
function* methodsOf({ methods, others }: ServedPath): Generator<[HTTPMethod, Serve]> {
  for (const method of known) {
    const own = methods.get(method === 'HEAD' ? 'get' : (method.toLowerCase() as 'get')) ?? others
    if (own) yield [method, own]
  }
}
