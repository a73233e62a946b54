/** Keeps the form of each operation while the user visits other operations or pages. */

import { createExample } from './describe-schema.js'
import type { Description, Operation } from './description.js'

export interface RequestForm {
  readonly path: string
  /** Keyed by location and name of the parameter, such as `path collection`. */
  readonly values: { readonly [parameter: string]: string }
  /** The content type of the body. */
  readonly type: string
  /** The body, unless it is a form. */
  readonly text: string
  readonly form: { readonly [field: string]: string | File }
}

const kept = new Map<string, RequestForm>()

export function readForm(operation: Operation, { resolveSchema }: Description, project: string): RequestForm {
  const before = kept.get(operation.id)
  if (before && operation.paths.includes(before.path)) return before
  const [body] = operation.bodies
  return {
    path: operation.paths[0] ?? '/',
    values: operation.parameters.some(({ name, in: location }) => location === 'path' && name === 'project')
      ? { 'path project': project }
      : {},
    type: body?.type ?? '',
    text: body && !isForm(body.type) ? JSON.stringify(createExample(body.schema, resolveSchema), undefined, 2) : '',
    form: {},
  }
}

export function storeForm(id: string, typed: RequestForm): void {
  kept.set(id, typed)
}

export function isForm(type: string): boolean {
  return type === 'multipart/form-data' || type === 'application/x-www-form-urlencoded'
}
