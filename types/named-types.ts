/** Names the types in a file of types: one per collection, and one per nested object. */
import { nameGiver, pascalCase, singularName } from './names.js'
import type { ObjectShape, Shape } from './shapes.js'

export interface CollectionShape {
  readonly collection: string
  readonly documents: Shape
}

export interface NamedType {
  readonly name: string
  readonly shape: Shape
  /** The collection these are documents of. Undefined for a nested object. */
  readonly collection?: string
}

export interface NamedTypes {
  /** Each type follows the types that use it: documents first, then their parts. */
  readonly types: readonly NamedType[]
  nameOf(shape: ObjectShape): string
}

/** Names the file declares or imports, and globals that a type must not shadow. */
const reserved =
  'Schema Link DateTime Defaults FileUrl Fields Record Array Date Object String Number Boolean Promise Map Set Error Symbol T'

/** Longer names use only the field, without the names of its parents. */
const maxNameLength = 60

export function nameTypes(collections: readonly CollectionShape[]): NamedTypes {
  const give = nameGiver(reserved.split(' '))
  const names = new Map<ObjectShape, string>()
  const types: NamedType[] = []
  // Names collections before parts, so that a part never changes the name of a collection.
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
    if (shape.kind === 'object' && shape.fields.length > 0) {
      nameObject(shape, parent, isOfMany ? singularName(field) : pascalCase(field))
    }
  }

  function nameObject(shape: ObjectShape, parent: string, own: string): void {
    const whole = `${parent}${own}`
    const name = give(whole.length > maxNameLength ? own.slice(0, maxNameLength) : whole)
    names.set(shape, name)
    types.push({ name, shape })
    nameParts(shape, name)
  }
}
