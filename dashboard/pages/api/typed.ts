/** Keeps the form of each operation while the user visits other operations or pages. */
import type { Description, Operation } from './description.js'
import { exampleOf } from './schema-words.js'

export interface Typed {
  readonly path: string
  /** Keyed by location and name of the parameter, such as `path collection`. */
  readonly values: { readonly [parameter: string]: string }
  /** The content type of the body. */
  readonly type: string
  /** The body, unless it is a form. */
  readonly text: string
  readonly form: { readonly [field: string]: string | File }
}

const kept = new Map<string, Typed>()

export function typedOf(operation: Operation, { schemaOf }: Description, project: string): Typed {
  const before = kept.get(operation.id)
  if (before && operation.paths.includes(before.path)) return before
  const [body] = operation.bodies
  return {
    path: operation.paths[0] ?? '/',
    values: operation.parameters.some(({ name, in: place }) => place === 'path' && name === 'project')
      ? { 'path project': project }
      : {},
    type: body?.type ?? '',
    text: body && !isForm(body.type) ? JSON.stringify(exampleOf(body.schema, schemaOf), undefined, 2) : '',
    form: {},
  }
}

export function keepTyped(id: string, typed: Typed): void {
  kept.set(id, typed)
}

export function isForm(type: string): boolean {
  return type === 'multipart/form-data' || type === 'application/x-www-form-urlencoded'
}
