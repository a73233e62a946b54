/** Names of types, made from names of collections and fields. */
import pluralize from 'pluralize'

// What is called so is one thing already.
for (const word of ['data', 'metadata', 'media']) pluralize.addUncountableRule(word)

export function plural(word: string): string {
  return pluralize.plural(word)
}

/** `order_lines` as `OrderLines`; never empty, and never beginning with a digit. Of numbers, identifiers take digits and Roman ones, not `²` or `½`. */
export function pascalCase(text: string): string {
  const words = text.split(/[^\p{L}\p{Nd}\p{Nl}]+/u).filter((word) => word !== '')
  const name = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
  return /^\p{L}/u.test(name) ? name : `T${name}`
}

/** The name of one of many: `order_lines` as `OrderLine`. */
export function singularName(text: string): string {
  return pascalCase(pluralize.singular(text))
}

/** Names that each is given once: a name that is taken gets a number behind it. */
export function nameGiver(reserved: readonly string[]): (wished: string) => string {
  const taken = new Set(reserved)
  return (wished) => {
    let name = wished
    for (let number = 2; taken.has(name); number++) name = `${wished}${number}`
    taken.add(name)
    return name
  }
}
