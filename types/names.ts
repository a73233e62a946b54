/** Makes type names from collection and field names. */
import pluralize from 'pluralize'

// These words have no plural.
for (const word of ['data', 'metadata', 'media']) pluralize.addUncountableRule(word)

export function plural(word: string): string {
  return pluralize.plural(word)
}

/**
 * Converts `order_lines` to `OrderLines`. Never empty, and never begins with a digit. Keeps digits and Roman numerals,
 * but drops `²` and `½`, which identifiers do not allow.
 */
export function pascalCase(text: string): string {
  const words = text.split(/[^\p{L}\p{Nd}\p{Nl}]+/u).filter((word) => word !== '')
  const name = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
  return /^\p{L}/u.test(name) ? name : `T${name}`
}

/** Converts `order_lines` to `OrderLine`. */
export function singularName(text: string): string {
  return pascalCase(pluralize.singular(text))
}

/** Returns a function that makes names unique by appending a number. */
export function nameGiver(reserved: readonly string[]): (wished: string) => string {
  const taken = new Set(reserved)
  return (wished) => {
    let name = wished
    for (let number = 2; taken.has(name); number++) name = `${wished}${number}`
    taken.add(name)
    return name
  }
}
