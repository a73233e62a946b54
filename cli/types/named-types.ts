/** The types that a file of types holds: one for each collection, and one for each object within its documents. */
import { nameGiver, pascalCase, singularName } from './names.js'
import type { ObjectShape, Shape } from './shapes.js'

export interface CollectionShape {
  readonly collection: string
  readonly documents: Shape
}

export interface NamedType {
  readonly name: string
  readonly shape: Shape
  /** Whose documents these are; of none, where it is a part of others. */
  readonly collection?: string
}

export interface NamedTypes {
  /** A type behind those that it is used in: first a collection's documents, then their parts. */
  readonly types: readonly NamedType[]
  nameOf(shape: ObjectShape): string
}

/** What the files write themselves, and what would hide a type of the language. */
const reserved =
  'Schema Link DateTime FileUrl Fields Record Array Date Object String Number Boolean Promise Map Set Error Symbol T'

/** Longer names say where a part is from only by their own field. */
const longestName = 60

export function nameTypes(collections: readonly CollectionShape[]): NamedTypes {
  const give = nameGiver(reserved.split(' '))
  const names = new Map<ObjectShape, string>()
  const types: NamedType[] = []
  // Collections before parts: what a part is called does not change how a collection is.
  const roots = collections.map(({ collection, documents }) => {
    const name = give(singularName(collection))
    if (documents.kind === 'object') names.set(documents, name)
    return { name, collection, shape: documents }
  })
  for (const root of roots) {
    types.push(root)
    nameParts(root.shape, root.name)
  }
  return { types, nameOf: (shape) => names.get(shape) ?? '' }

  function nameParts(shape: Shape, parent: string): void {
    if (shape.kind === 'object') {
      for (const field of shape.fields) nameField(field.shape, parent, field.name)
    } else if (shape.kind === 'dictionary') nameField(shape.values, parent, 'entry')
  }

  function nameField(shape: Shape, parent: string, field: string, isOfMany = false): void {
    if (shape.kind === 'union') for (const one of shape.of) nameField(one, parent, field, isOfMany)
    if (shape.kind === 'array') nameField(shape.items, parent, field, true)
    if (shape.kind === 'dictionary') nameField(shape.values, parent, field, true)
    if (shape.kind !== 'object' || shape.fields.length === 0) return
    const own = isOfMany ? singularName(field) : pascalCase(field)
    const whole = `${parent}${own}`
    const name = give(whole.length > longestName ? own.slice(0, longestName) : whole)
    names.set(shape, name)
    types.push({ name, shape })
    nameParts(shape, name)
  }
}
