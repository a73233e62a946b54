/** Other names for what is local to a function of a minified file. */
import { parseAst } from 'rolldown/parseAst'
import { Visitor } from 'rolldown/utils'

/** @typedef {{ start: number, end: number, name: string }} Place where a variable is named */

/**
 * The function with other letters for its local names, one for each in the order in which they are met. Letters that do not fit it, since
 * it has another number of names or knows something outside by one of them, leave it as it is.
 *
 * @param {string} text @param {Set<string>} globals what is declared outside of functions @param {string} [letters]
 */
export function withLocalNames(text, globals, letters = '') {
  const { places, shorthands, names, isTaken } = localNames(text, globals)
  const isFitting = letters.length === names.length && new Set(letters).size === names.length
  if (!isFitting || [...letters].some(isTaken)) return text
  let renamed = ''
  let end = 0
  for (const place of places) {
    const name = letters[names.indexOf(place.name)] ?? ''
    const isProperty = shorthands.has(place.start) && name !== place.name
    renamed += text.slice(end, place.start) + (isProperty ? `${place.name}:${name}` : name)
    end = place.end
  }
  return renamed + text.slice(end)
}

/**
 * The names of one letter that are local to a function, in the order in which they are met, and which letters are not to be had for
 * them. Whatever a platform has is called longer. A name that is both here and outside, in different parts of the function, is left alone.
 *
 * @param {string} text @param {Set<string>} globals
 */
export function localNames(text, globals) {
  const { places, properties, shorthands } = namesIn(text)
  const variables = places.filter(({ start, name }) => !properties.has(start) && name.length === 1)
  const local = variables.filter(({ name }) => !globals.has(name))
  const outside = new Set(variables.map(({ name }) => name).filter((name) => globals.has(name)))
  return {
    places: local,
    shorthands,
    names: [...new Set(local.map(({ name }) => name))],
    isTaken: (/** @type {string} */ letter) => outside.has(letter),
  }
}

/** @param {string} text */
function namesIn(text) {
  /** @type {Place[]} */
  const places = []
  const properties = new Set()
  /** Names of a property and of a variable in one. */
  const shorthands = new Set()
  /** @param {{ computed: boolean, shorthand?: boolean, key: { start: number } }} node */
  const keyed = ({ computed, shorthand, key: { start } }) => {
    if (!computed) (shorthand ? shorthands : properties).add(start)
  }
  const visitor = new Visitor({
    Identifier: (node) => void places.push(node),
    Property: keyed,
    MethodDefinition: keyed,
    PropertyDefinition: keyed,
    MemberExpression: ({ computed, property }) => computed || properties.add(property.start),
  })
  visitor.visit(parseAst(text))
  const inOrder = new Map(places.map((place) => [place.start, place]))
  return { places: [...inOrder.values()].sort((one, other) => one.start - other.start), properties, shorthands }
}
